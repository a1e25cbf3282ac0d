import { describe, expect, test } from 'vitest'
import { hasResources, useGrant } from '../../src/grants/granted-resources.ts'
import type { IssuedToken } from '../../src/tokens/issued-token.ts'
import { usersClient } from '../clients/clients.ts'
import { someServer } from '../clients/resource-registry.ts'
import { noGrants } from './grant-deps.ts'

describe('the resource servers of a grant', () => {
  const token: IssuedToken = { accessToken: 'a', expiresIn: 1, scope: 'read', refreshToken: undefined }
  const others = { grantedResources: ['https://api.example'] }

  /** Uses a grant whose attempts end so, one after the other. */
  async function use(
    answers: (IssuedToken | { grantedResources: string[] | undefined })[],
    requested: string[] = [],
  ) {
    const targets: (readonly string[])[] = []
    const resourceIndicators = {
      ...noGrants.resourceIndicators,
      targetOf: async (identifiers: readonly string[]) => {
        targets.push(identifiers)
        return { servers: [], scope: 'read' }
      },
      usable: (identifiers: readonly string[]) => identifiers.filter((one) => one !== 'https://gone.example'),
    }
    const left = [...answers]
    const attempt = async () => left.shift() ?? expect.unreachable('a third attempt')
    const result = await useGrant(requested, usersClient(), { resourceIndicators }, attempt).catch(
      ({ code }: { code: string }) => code,
    )
    return { result, targets }
  }

  test('are asked for when the request names none', async () => {
    expect(await use([token])).toEqual({ result: token, targets: [[]] })
    expect(await use([others, token])).toEqual({ result: token, targets: [[], ['https://api.example']] })
  })

  test('are tried once more and no further', async () => {
    expect(await use([others, others])).toEqual({
      result: 'invalid_target',
      targets: [[], ['https://api.example']],
    })
  })

  test('must be those of the request, and must be usable', async () => {
    expect(await use([others], ['https://other.example'])).toEqual({
      ...{ result: 'invalid_target', targets: [['https://other.example']] },
    })
    for (const grantedResources of [['https://gone.example'], undefined])
      expect(await use([{ grantedResources }])).toEqual({ result: 'invalid_target', targets: [[]] })
  })

  test('are all that a target names, and none for the default audience', () => {
    const has = (granted: string[] | undefined, ...identifiers: string[]) => {
      const servers = identifiers.map((identifier) => someServer({ identifier }))
      return hasResources(granted, { servers, scope: 'read' })
    }
    expect([has(['a', 'b'], 'a', 'b'), has(['a', 'b'], 'a'), has(undefined)]).toEqual([true, true, true])
    expect([has(['a'], 'a', 'b'), has(undefined, 'a'), has([]), has(['a'])]).toEqual(Array(4).fill(false))
  })
})
