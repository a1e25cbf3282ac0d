import { isUtf8 } from 'node:buffer'
import type { App } from '@gatehouse/http/app'
import { quote } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import { isStorable } from '@gatehouse/kit/storable'
import { takeBodies } from '../connections/read-body.ts'

/** Makes a fastify scope take JSON only (RFC 8259). An empty body counts as none. */
export function takeJson(scope: App): void {
  takeBodies(scope, ['application/json'], parseJson)
}

/**
 * Decodes a body in UTF-8 and drops a byte order mark (RFC 8259 section 8.1). Node itself would replace invalid bytes.
 * @throws Refusal invalid_request
 */
export function utf8Text(body: Buffer): string {
  if (!isUtf8(body)) throw new Refusal('invalid_request', 'The body is not UTF-8.')
  return new TextDecoder().decode(body)
}

function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined
  const value = parsed(utf8Text(body))
  checkNamesAndTexts(value)
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('invalid_request', 'The body is not JSON.')
  }
}

/** A loop, because a body may be nested too deeply for recursion. */
function checkNamesAndTexts(body: unknown): void {
  const rest = Object.entries({ body })
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [name, value] = next
    if (typeof value === 'string' && !isStorable(value)) throw unstorable(name)
    if (typeof value !== 'object' || value === null) continue
    for (const [inner, one] of Object.entries(value)) {
      if (!isStorable(inner)) throw unstorable(name)
      // Copied into another object, these would change the prototype of objects (prototype pollution).
      if (inner === '__proto__') throw forbidden(inner)
      if (inner === 'prototype' && name === 'constructor') throw forbidden('constructor.prototype')
      rest.push([Array.isArray(value) ? name : inner, one])
    }
  }
}

function forbidden(name: string): Refusal {
  return new Refusal('invalid_request', `The field ${name} is not allowed.`)
}

function unstorable(name: string): Refusal {
  return new Refusal('invalid_request', `The field ${quote(name)} has a NUL or half of a character in it.`, {
    detail: 'a text that cannot be stored',
  })
}
