/// <reference types="vite/client" />

declare module 'virtual:form-schemas' {
  const schemas: Record<
    | 'ClientToCreate'
    | 'ClientChange'
    | 'ResourceServerToCreate'
    | 'ResourceServerChange'
    | 'UserToCreate'
    | 'UserChange'
    | 'Invitation'
    | 'GroupToCreate'
    | 'GroupChange'
    | 'OrganizationToCreate'
    | 'OrganizationChange'
    | 'MemberInvitation'
    | 'ConnectionToCreate'
    | 'ConnectionChange',
    import('./form/schema.ts').ObjectSchema
  >
  export default schemas
}

declare module 'virtual:lists' {
  const lists: Readonly<Record<string, import('./list/described-list.ts').DescribedList | undefined>>
  export default lists
}

declare module 'virtual:providers' {
  const providers: Readonly<Record<string, string>>
  export default providers
}
