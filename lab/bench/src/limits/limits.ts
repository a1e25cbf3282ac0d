import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { adminVariables, logInAdministrator } from '../admin-pages.ts'
import type { BesideDeps } from '../beside/beside.ts'
import { openDatabase } from '../durability.ts'
import { BenchFailure } from '../failure.ts'
import { type Gatehouse, startGatehouse } from '../gatehouse.ts'
import { send } from '../http.ts'
import { addPeople, logInOnce, loginVariables } from '../logins/login.ts'
import { shareOf } from '../measuring/statistics.ts'
import type { Options } from '../options.ts'
import { fillOrganizations } from './fill.ts'
import { type MeasuredList, measuredLists } from './lists.ts'
import { fewSizes, fullSizes, type Sizes } from './sizes.ts'
import { type LogIn, prepareVisits, type Way, ways } from './visits.ts'

/** Times in milliseconds. */
export type Times = { p50: number; p95: number }

/** The times of a list in a system with few of everything, and in one that is full. */
export type ListTimes = Pick<MeasuredList, 'name' | 'of'> & { few: Times; full: Times }

/** The figures of a full system. */
export type LimitsResult = {
  lists: ListTimes[]
  /** Whole logins in the full system. */
  logins: Record<Way, Times>
}

/** The longest 95th percentile of a list, and what a way of logging in may take more than with a password alone, in milliseconds. */
export const longestList = 100
export const longestStep = 50

/** How often each list is asked for in a round after some requests that do not count, and how many logins of each way there are. */
const times = 20
const unmeasured = 5
const loginsInRound = 20

/** The variables of both systems. */
const variables = {
  ...loginVariables,
  ...adminVariables,
  OAUTH2_ORGANIZATIONS_ENABLED: 'true',
  OAUTH2_FACTOR_KEY: 'the factor key of the benchmark, 32 characters',
  OAUTH2_FETCH_ALLOWED_NETWORKS: '127.0.0.0/8',
}

/** One system, and how its lists are asked for. */
type Side = {
  gatehouse: Gatehouse
  /** In the same order in both systems. */
  lists: MeasuredList[]
  ask(list: MeasuredList): Promise<number>
  prepareLogins(): Promise<LogIn>
}

/**
 * Measures the lists of a system that has as many organizations, members, groups and connections as there may be, by turns with one that
 * has few, and then logins in the full one: with a password, with the choice of an organization, and by a connection.
 * @throws BenchFailure when a list or a login is refused
 */
export async function runLimits(
  deps: Omit<BesideDeps, 'options'> & { options: Pick<Options, 'rounds'> },
): Promise<LimitsResult> {
  const { options, start, signal } = deps
  const few = await startSide(deps, 'few organizations', fewSizes)
  const full = await startSide(deps, 'as many organizations as possible', fullSizes)
  start.tell('asking for lists …')
  const waits = full.lists.map(() => ({ few: [] as number[], full: [] as number[] }))
  for (let round = 0; round < options.rounds; round += 1)
    for (const [number, list] of full.lists.entries()) {
      const listOfFew = few.lists[number] as MeasuredList
      for (let time = -unmeasured; time < times; time += 1) {
        signal.throwIfAborted()
        const took = { few: await few.ask(listOfFew), full: await full.ask(list) }
        if (time >= 0) for (const side of ['few', 'full'] as const) waits[number]?.[side].push(took[side])
      }
    }
  const lists = full.lists.map(({ name, of }, number) => {
    const { few = [], full = [] } = waits[number] ?? {}
    return { name, of, few: timesOf(few), full: timesOf(full) }
  })
  start.tell('logging in …')
  const logins = await measureLogins(await full.prepareLogins(), options.rounds, signal)
  for (const { gatehouse } of [few, full]) gatehouse.checkAlive()
  return { lists, logins }
}

async function measureLogins(
  logIn: LogIn,
  rounds: number,
  signal: AbortSignal,
): Promise<LimitsResult['logins']> {
  const waits: Record<Way, number[]> = { password: [], organization: [], connection: [] }
  for (let time = -unmeasured; time < rounds * loginsInRound; time += 1)
    for (const way of ways) {
      signal.throwIfAborted()
      const took = await logIn(way)
      if (time >= 0) waits[way].push(took)
    }
  const { password, organization, connection } = waits
  return { password: timesOf(password), organization: timesOf(organization), connection: timesOf(connection) }
}

async function startSide(
  { start, directory: parent }: Pick<BesideDeps, 'start' | 'directory'>,
  name: string,
  sizes: Sizes,
): Promise<Side> {
  const directory = join(parent, name)
  mkdirSync(directory, { mode: 0o711 })
  start.tell(`starting a system with ${name} …`)
  const gatehouse = await startGatehouse({
    ...start,
    directory,
    variables: { ...start.variables, ...variables },
  })
  const { client } = await openDatabase(gatehouse.system.databaseUrl, start.stack)
  const people = await addPeople(gatehouse, client)
  start.tell('filling it …')
  const places = await fillOrganizations(client, sizes, people)
  const administrator = await logInAdministrator(gatehouse)
  const cookies = { administrator, owner: await logInOnce(people, 0) }
  const fetched = async (path: string, of: MeasuredList['of']) => {
    const { status, text } = await send(`${gatehouse.url}${path}`, {
      headers: { cookie: cookies[of], ...(of === 'owner' && { accept: 'text/html' }) },
    })
    if (status !== 200) throw new BenchFailure(`${path} was answered ${status} ${text.slice(0, 200)}`)
    return text
  }
  const lists: MeasuredList[] = []
  for (const list of measuredLists(places)) {
    const cursor = list.farInto && (await farCursor((path) => fetched(path, 'administrator'), list.farInto))
    lists.push(cursor ? { ...list, path: `${list.path}?cursor=${cursor}` } : list)
  }
  return {
    gatehouse,
    lists,
    async ask({ path, of }) {
      const began = performance.now()
      await fetched(path, of)
      return performance.now() - began
    },
    prepareLogins: () =>
      prepareVisits({
        gatehouse,
        people,
        places,
        database: client,
        cookie: administrator,
        stack: start.stack,
      }),
  }
}

/** How many pages are read to come far into a list. */
const pagesBefore = 100

/** The cursor behind so many pages with 200 items, or that of the last page; undefined for a list of one page. */
async function farCursor(
  fetched: (path: string) => Promise<string>,
  path: string,
): Promise<string | undefined> {
  let last: string | undefined
  for (let pages = 0; pages < pagesBefore; pages += 1) {
    const page = JSON.parse(await fetched(`${path}?limit=200${last ? `&cursor=${last}` : ''}`))
    if (!page.next_cursor) break
    last = encodeURIComponent(page.next_cursor)
  }
  return last
}

function timesOf(waits: readonly number[]): Times {
  return { p50: shareOf(waits, 0.5), p95: shareOf(waits, 0.95) }
}

/** Whether all lists and logins of a full system are quick enough. */
export function areLimitsKept({ lists, logins }: LimitsResult): boolean {
  return (
    lists.every(({ full }) => full.p95 <= longestList) &&
    ways.every((way) => moreThan(logins, way) <= longestStep)
  )
}

/** The time that a login takes more than one with a password alone, at the median, in milliseconds. */
export function moreThan(logins: LimitsResult['logins'], way: Way): number {
  return logins[way].p50 - logins.password.p50
}
