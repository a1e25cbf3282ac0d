import { beforeAll, expect, test } from 'vitest'
import { useDatabase } from './database.ts'
import { outcomes, startReplica } from './replica.ts'

const shared = useDatabase()
let replicas: ReturnType<typeof startReplica>[] = []
const replica = (index = 0) => replicas[index % 2] ?? expect.unreachable('no replica')
beforeAll(() => {
  replicas = [startReplica(shared.database), startReplica(shared.another())]
})

const notGranted = { code: 'invalid_grant' }

/** Returns the tokens of a new grant. */
async function begin() {
  const { code } = await replica().authorize()
  return replica().redeem(code)
}

test('does not deadlock when a token and its successor are used at once', async () => {
  for (let round = 0; round < 30; round++) {
    const { refreshToken: first } = await begin()
    const { refreshToken: second } = await replica().refresh(first)
    const { refused } = await outcomes(
      Array.from({ length: 20 }, (_, index) => replica(index).refresh(index % 4 < 2 ? first : second)),
    )
    // Whether the older one counts as reused is random; a deadlock would be a different error.
    for (const error of refused) expect(error).toMatchObject(notGranted)
  }
})

test('does not deadlock when two replicas use many tokens and their successors in opposite orders', async () => {
  const grants = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { refreshToken: first } = await begin()
      const { refreshToken: second } = await replica().refresh(first)
      return [first, second]
    }),
  )
  const tokens = grants.flat()
  for (let round = 0; round < 5; round++) {
    const { refused } = await outcomes([
      ...tokens.map((token) => replica().refresh(token)),
      ...tokens.toReversed().map((token) => replica(1).refresh(token)),
    ])
    // Whether the older ones count as reused is random; a deadlock would be a different error.
    for (const error of refused) expect(error).toMatchObject(notGranted)
  }
})
