import { readActor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import type { Handlers } from '@gatehouse/kit/rpc-server'
import type {
  IdentityServiceService,
  TrafficSample as SampleMessage,
  UserRecord as UserRecordMessage,
} from '@gatehouse/proto/identity/v1'
import { resetPassword } from './password-reset.ts'
import { type InstanceSample, listTraffic, recordTraffic, type TrafficStore } from './traffic.ts'
import { createUser, deleteUser, endUserSessions, type UserChangeDeps, updateUser } from './user-change.ts'
import { getUser, listUsers, type UserDetails, type UserListStore, type UserRecord } from './user-list.ts'

/** What the administrators' RPCs translate to and from. */
export type AdminRpcDeps = { list: UserListStore; changes: UserChangeDeps; traffic: TrafficStore }

type AdminMethod =
  | 'listUsers'
  | 'getUser'
  | 'createUser'
  | 'updateUser'
  | 'resetPassword'
  | 'endUserSessions'
  | 'deleteUser'
  | 'recordTraffic'
  | 'listTraffic'

/** The RPCs by which administrators look at users and change them, and those that feed their dashboard. */
export function adminRpcs({
  list,
  changes,
  traffic,
}: AdminRpcDeps): Pick<Handlers<typeof IdentityServiceService>, AdminMethod> {
  return {
    async listUsers(request) {
      const { items, nextCursor, total } = await listUsers(request, list)
      return { users: items.map((user) => recordMessage(user)), nextCursor, total: BigInt(total) }
    },

    async getUser({ userId }) {
      return { user: detailsMessage(await getUser(userId, list)) }
    },

    async createUser({ actor, ...user }) {
      const { id: userId, username, admin } = await createUser(user, readActor(actor), changes)
      return { user: { userId, username, admin } }
    },

    async updateUser({ actor, ...change }) {
      return { user: detailsMessage(await updateUser(change, readActor(actor), changes)) }
    },

    async resetPassword({ actor, ...reset }) {
      return { generatedPassword: await resetPassword(reset, readActor(actor), changes) }
    },

    async endUserSessions({ actor, ...which }) {
      await endUserSessions(which, readActor(actor), changes)
      return {}
    },

    async deleteUser({ userId, actor }) {
      await deleteUser(userId, readActor(actor), changes)
      return {}
    },

    async recordTraffic({ sample }) {
      await recordTraffic(readSample(sample), traffic)
      return {}
    },

    async listTraffic({ since }) {
      const samples = await listTraffic(since ?? new Date(0), traffic)
      return { samples: samples.map((sample) => sampleMessage({ ...sample, instance: '' })) }
    },
  }
}

function recordMessage({ id, ...user }: UserRecord): UserRecordMessage {
  return { ...user, userId: id, disabledAt: user.disabledAt, socialAccounts: [] }
}

function detailsMessage({ socialAccounts, ...user }: UserDetails): UserRecordMessage {
  return { ...recordMessage(user), socialAccounts: [...socialAccounts] }
}

function readSample(message: SampleMessage | undefined): InstanceSample {
  if (message?.time === undefined) throw new Refusal('invalid_request', 'This is no sample of traffic.')
  const { time: at, seconds, instance, issued, activeTokens } = message
  return {
    ...{ at, seconds, instance },
    requests: Number(message.requests),
    failures: Number(message.failures),
    refusals: Number(message.refusals),
    rateLimited: Number(message.rateLimited),
    issued: Object.fromEntries(Object.entries(issued).map(([name, count]) => [name, Number(count)])),
    durations: message.durations.map(Number),
    activeTokens: activeTokens === undefined ? undefined : Number(activeTokens),
  }
}

function sampleMessage({ at: time, seconds, instance, ...sample }: InstanceSample): SampleMessage {
  const { issued, activeTokens } = sample
  return {
    ...{ time, seconds, instance },
    requests: BigInt(sample.requests),
    failures: BigInt(sample.failures),
    refusals: BigInt(sample.refusals),
    rateLimited: BigInt(sample.rateLimited),
    issued: Object.fromEntries(Object.entries(issued).map(([name, count]) => [name, BigInt(count)])),
    durations: sample.durations.map(BigInt),
    activeTokens: activeTokens === undefined ? undefined : BigInt(activeTokens),
  }
}
