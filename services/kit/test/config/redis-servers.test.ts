import { expect, test } from 'vitest'
import { ConfigurationError } from '../../src/config/config.ts'
import { readRedisServers } from '../../src/config/redis-servers.ts'

const read = (text: string) => readRedisServers('OAUTH2_REDIS_URL', text)

test('one server stays a URL', () => {
  expect(read('rediss://user:p%40ss@redis.example:6380/3')).toEqual({
    kind: 'single',
    url: 'rediss://user:p%40ss@redis.example:6380/3',
  })
})

test('sentinels, the name of the primary, the database and both logins are read', () => {
  expect(
    read(
      'rediss+sentinel://limits:p%40ss%2C@s1:26380,[fd00::2],s3/my%20master/2?sentinel_username=watch&sentinel_password=s%26n',
    ),
  ).toEqual({
    kind: 'sentinel',
    nodes: [
      { host: 's1', port: 26_380 },
      { host: 'fd00::2', port: 26_379 },
      { host: 's3', port: 26_379 },
    ],
    login: { username: 'limits', password: 'p@ss,' },
    tls: true,
    name: 'my master',
    database: 2,
    sentinelLogin: { username: 'watch', password: 's&n' },
  })
  expect(read('redis+sentinel://s1/mymaster')).toMatchObject({
    login: {},
    tls: false,
    database: 0,
    sentinelLogin: {},
  })
})

test('the nodes of a cluster are read', () => {
  expect(read('redis+cluster://:secret@n1:7000,n2')).toEqual({
    kind: 'cluster',
    nodes: [
      { host: 'n1', port: 7_000 },
      { host: 'n2', port: 6_379 },
    ],
    login: { password: 'secret' },
    tls: false,
  })
})

test.each([
  'redis+sentinel://:secret@s1,s2',
  'redis+sentinel://:secret@s1,,s2/name',
  'redis+sentinel://s1/name/secret',
  'redis+sentinel://s1/name?password=secret',
  'redis+sentinel://:50%secret@s1/name',
  'redis+cluster://n1/0?secret',
  'redis+cluster://n1/secret',
  'redis+cluster://',
  'redis+cluster://n1:secret',
])('a URL that is not right is refused in one line that shows no part of it: %s', (text) => {
  expect(() => read(text)).toThrow(ConfigurationError)
  expect(() => read(text)).toThrow(/^OAUTH2_REDIS_URL must be .*; its value has \d+ characters$/)
  expect(() => read(text)).not.toThrow(/secret/)
})
