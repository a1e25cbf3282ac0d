/// <reference types="vite/client" />

declare module 'virtual:form-schemas' {
  const schemas: Record<
    | 'NewClient'
    | 'ClientChange'
    | 'NewResourceServer'
    | 'ResourceServerChange'
    | 'NewUser'
    | 'UserChange'
    | 'Invitation',
    import('./form/schema.ts').ObjectSchema
  >
  export default schemas
}
