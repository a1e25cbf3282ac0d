import type { Operation } from './operation.ts'

/** An access token in a history. */
export type Token = { issued: Operation; family: Family; expires: number; keyId: string | undefined }

/** All tokens that follow from one code; of a token by client_credentials it is the only one. */
export type Family = {
  user: string | undefined
  clientId: string | undefined
  /** The operation that gave the code, or the token. */
  begun: Operation
  endings: Ending[]
}

/** What ends tokens. */
export type Ending = {
  why: string
  operation: Operation
  /** Whether it was answered as done. */
  sure: boolean
  /** By when it applies, after its answer, in milliseconds. */
  within: number
  /** Whether it ends all tokens of its family, those that were granted before it, or also those that are granted later. */
  reach: 'family' | 'earlier' | 'for good'
}

/** A refresh token, the one that it was given for, and how it was used. */
export type RefreshToken = { family: Family; parent: string | undefined; uses: Operation[] }

/** What a history says about codes and tokens. */
export type Families = {
  /** The redemptions of each code, in the order of their return. */
  codes: Map<string, Operation[]>
  tokens: Map<string, Token>
  refreshTokens: Map<string, RefreshToken>
  /** What ends one access token alone. */
  ofTokens: Map<string, Ending[]>
  /** What ends tokens of a user or client: by `user`, `client` or `user client`. */
  ofMany: Map<string, Ending[]>
}

/** Reads the families of tokens out of a history. @param operations in the order of their return */
export function familiesOf(operations: readonly Operation[]): Families {
  const found: Families = {
    codes: new Map(),
    tokens: new Map(),
    refreshTokens: new Map(),
    ofTokens: new Map(),
    ofMany: new Map(),
  }
  const codesGiven = new Map<string, Operation>()
  for (const operation of operations) {
    const { kind, of, gave } = operation
    if (kind === 'get code' && gave?.code) codesGiven.set(gave.code, operation)
    else if (kind === 'issue') keep(found, operation, familyBegunBy(operation))
    else if (kind === 'redeem' && of.code) {
      const before = found.codes.get(of.code) ?? []
      found.codes.set(of.code, [...before, operation])
      const begun = codesGiven.get(of.code) ?? operation
      const family = before.map(familyIn(found)).find(Boolean) ?? familyBegunBy(begun, of.clientId)
      keep(found, operation, family)
    } else if (kind === 'refresh' && of.token) {
      const used = found.refreshTokens.get(of.token)
      if (used === undefined) continue
      used.uses.push(operation)
      keep(found, operation, used.family, of.token)
    }
  }
  return found
}

/** Adds what an operation gave. */
function keep(found: Families, issued: Operation, family: Family, parent?: string): void {
  const { accessToken, refreshToken, expires = Number.NaN, keyId } = issued.gave ?? {}
  if (accessToken) found.tokens.set(accessToken, { issued, family, expires, keyId })
  if (refreshToken && !found.refreshTokens.has(refreshToken))
    found.refreshTokens.set(refreshToken, { family, parent, uses: [] })
}

function familyBegunBy(begun: Operation, clientId = begun.of.clientId): Family {
  return { user: begun.of.user, clientId, begun, endings: [] }
}

function familyIn({ tokens }: Families) {
  return ({ gave }: Operation) => tokens.get(gave?.accessToken ?? '')?.family
}

/** Adds an item to the list of a key. */
export function push<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key)
  if (list) list.push(item)
  else lists.set(key, [item])
}
