import { copyFile, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { type Language, languages } from '@gatehouse/proto/people/languages'
import { afterEach, expect, test } from 'vitest'
import { noPlaces, openPlaces } from '../../../src/people/account/places.ts'
import { administered, bySession } from '../../../testing/administrator.ts'
import { ann, browser, session } from '../../../testing/browser.ts'

const fixture = join(import.meta.dirname, '../../fixtures', 'GeoIP2-City-Test.mmdb')
const boxford = '2.125.160.216'
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

function open(file: string | undefined, lookEveryMs?: number) {
  const { log, lines } = recordedLog()
  const context = { log, onShutdown: (end: () => unknown) => void ends.push(end) }
  return { lines, places: openPlaces(file, context, lookEveryMs) }
}

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'places-'))
  ends.push(() => rm(path, { recursive: true }))
  return path
}

const until = async (condition: () => boolean) => {
  for (let tries = 0; !condition() && tries < 200; tries += 1) await sleep(10)
  expect(condition()).toBe(true)
}

test.each([
  ['en', 'Boxford, United Kingdom'],
  ['de', 'Boxford, Vereinigtes Königreich'],
  ['ja', 'イギリス Boxford'],
  ['ar', 'Boxford، المملكة المتحدة'],
] as const)('a place is in words of a language: %s', async (language, words) => {
  const places = await open(fixture).places
  expect(places(boxford, language)).toBe(words)
})

test('the name of a city is in the language where the file has it', async () => {
  const places = await open(fixture).places
  expect(places('89.160.20.112', 'en')).toBe('Linköping, Sweden')
  expect(places('89.160.20.112', 'zh-Hans')).toBe('瑞典 林雪平')
  expect(places('81.2.69.142', 'pt')).toBe('Londres, Reino Unido')
})

test('an address of which only the country is known has a country', async () => {
  const places = await open(fixture).places
  expect(places('2001:218::1', 'fr')).toBe('Japon')
})

test.each(['127.0.0.1', '::1', '10.0.0.1', '', 'nothing', '2.125.160.216:80', '1.2.3'])(
  'nothing is known of %j',
  async (address) => {
    const { places, lines } = open(fixture)
    expect((await places)(address, 'en')).toBeUndefined()
    expect(lines).toEqual([])
  },
)

test('without a file no place is known', async () => {
  expect(await open(undefined).places).toBe(noPlaces)
  for (const language of Object.keys(languages) as Language[])
    expect(noPlaces(boxford, language)).toBeUndefined()
})

test('a file that is missing or is no such database keeps the gateway from starting', async () => {
  const file = join(await directory(), 'places.mmdb')
  await expect(open(file).places).rejects.toThrow(/^OAUTH2_GEOIP_DATABASE cannot be read: ENOENT/)
  await writeFile(file, 'this is no database')
  await expect(open(file).places).rejects.toThrow(/^OAUTH2_GEOIP_DATABASE must be a file in MaxMind’s format/)
})

test('a file that was replaced is read again, also behind a link; a broken one is not taken', async () => {
  const path = await directory()
  const [file, other, link] = ['a.mmdb', 'b.mmdb', 'places.mmdb'].map((name) => join(path, name)) as [
    string,
    string,
    string,
  ]
  await writeFile(
    other,
    (await readFile(fixture)).toString('latin1').replaceAll('Boxford', 'Foxbord'),
    'latin1',
  )
  await copyFile(fixture, file)
  await symlink(file, link)
  const opened = open(link, 10)
  const places = await opened.places
  expect(places(boxford, 'en')).toContain('Boxford')
  // As Kubernetes and geoipupdate replace files.
  await symlink(other, `${link}.new`)
  await rename(`${link}.new`, link)
  await until(() => places(boxford, 'en')?.startsWith('Foxbord') ?? false)
  await writeFile(other, 'half a file')
  await until(() => opened.lines.some((line) => JSON.stringify(line).includes('will be tried again')))
  expect(places(boxford, 'en')).toContain('Foxbord')
  await copyFile(fixture, other)
  await until(() => places(boxford, 'en')?.startsWith('Boxford') ?? false)
})

test('a damaged database costs places, not pages, and is logged once without addresses', async () => {
  const file = join(await directory(), 'places.mmdb')
  const content = await readFile(fixture)
  // The nodes lead to data that is gone; the description of the file at its end stays.
  content.fill(0xff, 0, content.length - 4_000)
  await writeFile(file, content)
  const opened = open(file)
  const places = await opened.places
  for (const address of [boxford, '89.160.20.112', '81.2.69.142'])
    expect(places(address, 'en')).toBeUndefined()
  expect(JSON.stringify(opened.lines)).not.toContain(boxford)
  expect(opened.lines).toHaveLength(1)
})

test('lists of sessions and logins show places', async () => {
  const places = await open(fixture).places
  const there = { ...session, sessionId: 'session-2', ipAddress: boxford }
  const listSessions = async () => ({ sessions: [session, there] })
  const { get } = await browser({ identity: { listSessions }, places }, ann)
  const { text } = await get('/account', { 'accept-language': 'de' })
  expect(text).toContain('<bdi dir="ltr">Boxford, Vereinigtes Königreich</bdi>')
  expect(text.match(/Boxford/g)).toHaveLength(1)
  expect(text).toContain('zuletzt verwendet am <time datetime="2030-01-01T10:58:00.000Z">')
})

test('the API for administrators has the places of sessions and of logins', async () => {
  const places = await open(fixture).places
  const login = (ipAddress: string) => ({
    ...{ loginId: 'login-1', time: new Date(0), ipAddress },
    ...{ userAgent: '', method: 'password', failure: 'unknown_user' },
  })
  const { send } = await administered({
    places,
    identity: {
      listSessions: async () => ({ sessions: [{ ...session, ipAddress: boxford }] }),
      listLogins: async () => ({
        logins: [login(boxford), login('192.0.2.1')],
        nextCursor: undefined,
        cursors: [],
      }),
      getLoginProblems: async () => ({ problems: [], lastFailures: [login(boxford)] }),
    },
  })
  const placesAt = async (path: string, list: string) => {
    const { text } = await send('GET', path, undefined, bySession)
    return (JSON.parse(text) as Record<string, { place?: string }[]>)[list]?.map(({ place }) => place)
  }
  const place = 'Boxford, United Kingdom'
  expect(await placesAt('/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/sessions', 'items')).toEqual([
    place,
  ])
  expect(await placesAt('/admin/api/logins', 'items')).toEqual([place, undefined])
  expect(
    await placesAt('/admin/api/users/0190f0a0-0000-7000-8000-0000000000b1/login-problems', 'last_failures'),
  ).toEqual([place])
})
