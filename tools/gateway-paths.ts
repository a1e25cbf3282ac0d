import { gatewayAlone } from './openapi-document.ts'

/**
 * The chart's files/paths.json: the first part of the path of each route of the gateway. An Ingress that leaves some out lists the others.
 * The profile of these routes has those of all others.
 */
export async function gatewayPaths(): Promise<string> {
  const app = await gatewayAlone()
  const routes = app.printRoutes({ commonPrefix: false })
  await app.close()
  const first = [...routes.matchAll(/^│? {0,3}[├└]── (\/?[^/ (*]*)/gm)].map(
    ([, part = '']) => `/${part.replace('/', '')}`,
  )
  return `${JSON.stringify([...new Set(first)].sort(), null, 2)}\n`
}
