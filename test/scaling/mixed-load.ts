import { setTimeout as sleep } from 'node:timers/promises'
import { type ServiceName, serviceNames } from '@gatehouse/local/services'
import { authorize, type CookieJar, logIn } from '@gatehouse/test/browser/browser-login'
import { type AddOptions, type Cluster, clusterAdmin } from '@gatehouse/test/cluster'
import { credentialsOf, issueToken, until, untilReady } from '@gatehouse/test/oauth'
import type { Exit } from '@gatehouse/test/replica'
import type { RegisteredClient } from '@gatehouse/test/system'
import {
  type Job,
  type JobAttempt,
  machineJobs,
  startTraffic,
  textOf,
  UnexpectedAnswer,
} from '@gatehouse/test/traffic'
import { expect } from 'vitest'
import { authorizationRequest, pkce, registerApp } from '../e2e/logins/login-people.ts'

/** The jobs of all kinds of callers: clients without users, an app with a logged-in user, and callers that register clients. */
export async function mixedJobs(cluster: Cluster): Promise<Record<string, Job>> {
  await untilReady(cluster)
  const client = await cluster.register()
  const app = await registerApp(cluster)
  let jar: CookieJar | undefined
  // A system of ten processes that has just started may still be busy.
  await until(async () => {
    jar = await logIn(cluster, clusterAdmin.username, clusterAdmin.password).catch(() => undefined)
    return jar !== undefined
  }, 20_000)
  return {
    ...machineJobs(cluster, client, await issueToken(cluster, client)),
    code: () => codeFlow(cluster, jar as CookieJar, app),
    register: () => cluster.register(),
  }
}

/** A logged-in user gets a token for an app. */
async function codeFlow(cluster: Cluster, jar: CookieJar, app: RegisteredClient): Promise<void> {
  const { verifier, challenge } = pkce()
  const answer = await authorize(cluster, jar, authorizationRequest(app, challenge))
  const error = answer.searchParams.get('error')
  // The redirect has the error that other callers get as a status (RFC 6749 section 4.1.2.1).
  if (error === 'temporarily_unavailable')
    throw new UnexpectedAnswer(new Response(null, { status: 503, headers: { 'retry-after': '1' } }), error)
  const form = {
    grant_type: 'authorization_code',
    code: answer.searchParams.get('code') ?? '',
    code_verifier: verifier,
    ...credentialsOf(app),
  }
  await textOf(cluster.form('/oauth/token', form))
}

/**
 * Replaces every process while callers of all kinds do their jobs, as `helm upgrade` does: all services at the same time, and each
 * new replica serves before an old one stops.
 * @param options the differences between the new and the old replicas
 * @returns all jobs from shortly before until shortly after
 */
export async function replaceUnderLoad(
  cluster: Cluster,
  jobs: Record<string, Job>,
  options: AddOptions = {},
): Promise<JobAttempt[]> {
  const traffic = startTraffic(jobs, 4)
  try {
    await until(() => traffic.attempts.length > 100, 20_000)
    const began = performance.now()
    const before = serviceNames.flatMap((name) => cluster.replicasOf(name))
    const exits = await Promise.all(serviceNames.map((name) => replaceAll(cluster, name, options)))
    expect(exits.flat()).toEqual(before.map(() => ({ code: 0, signal: null })))
    expect(before.filter(({ running }) => running)).toEqual([])
    await sleep(1_000)
    await traffic.settled()
    const done = new Set(traffic.since(began).map(({ job }) => job))
    expect(done).toEqual(new Set(Object.keys(jobs)))
    return traffic.attempts
  } finally {
    await traffic.stop()
  }
}

async function replaceAll(cluster: Cluster, name: ServiceName, options: AddOptions): Promise<Exit[]> {
  const exits: Exit[] = []
  for (const replica of cluster.replicasOf(name)) {
    await cluster.add(name, options)
    exits.push(await cluster.remove(replica, { stoppedAfter: 5_000 }))
  }
  return exits
}
