import type { App } from '@gatehouse/http/app'
import { parseForm } from '@gatehouse/http/form'
import { takeBodies } from '../connections/read-body.ts'

/**
 * Makes a fastify scope take forms only (RFC 6749 section 3.2).
 * @param repeatable a parameter that may be repeated
 */
export function takeForms(scope: App, repeatable?: string): void {
  takeBodies(scope, ['application/x-www-form-urlencoded'], (body) =>
    parseForm(body.toString('utf8'), repeatable),
  )
}
