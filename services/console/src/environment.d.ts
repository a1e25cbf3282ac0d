/// <reference types="vite/client" />

declare module 'virtual:form-schemas' {
  const schemas: Record<
    | 'ClientToCreate'
    | 'ClientChange'
    | 'ResourceServerToCreate'
    | 'ResourceServerChange'
    | 'UserToCreate'
    | 'UserChange'
    | 'Invitation',
    import('./form/schema.ts').ObjectSchema
  >
  export default schemas
}
