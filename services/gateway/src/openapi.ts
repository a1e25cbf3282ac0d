import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { App } from './app.ts'

/**
 * Describes every route by its own schema as OpenAPI 3.1, at /openapi.json and as a page at /swagger-ui. To be called
 * before the routes are declared.
 * @param app the server
 * @param facts the release, and where it is found
 */
export async function describeRoutes(app: App, facts: { version: string; issuer: string }): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Gatehouse',
        description: 'An OAuth 2.0 authorization server.',
        version: facts.version,
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      servers: [{ url: facts.issuer }],
      tags: [
        { name: 'OAuth', description: 'Tokens: issue, introspect, revoke.' },
        { name: 'Clients', description: 'Who may ask for tokens.' },
        { name: 'Discovery', description: 'What a client library reads first.' },
        { name: 'Operations', description: 'For whoever runs the server.' },
        { name: 'Events', description: 'What happened.' },
        { name: 'Admin', description: 'For administrators.' },
      ],
      components: {
        securitySchemes: { clientSecretBasic: { type: 'http', scheme: 'basic' } },
      },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `def-${index}`),
    },
  })
  await app.register(swaggerUi, {
    routePrefix: '/swagger-ui',
    staticCSP: true,
    uiConfig: { docExpansion: 'list', defaultModelsExpandDepth: 0 },
    theme: { title: 'Gatehouse API' },
  })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
}
