import { expect, test } from 'vitest'
import { browserName } from '../../../src/people/pages/browser-name.ts'

const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)'
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'

test.each([
  [`${windows} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  [`${windows} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, 'Microsoft Edge on Windows'],
  [`${windows} Chrome/140.0.0.0 Safari/537.36 OPR/120.0`, 'Opera on Windows'],
  [`${mac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15`, 'Safari on macOS'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1',
    'Safari on iPhone',
  ],
  ...[
    ['CriOS/140.0', 'Chrome'],
    ['FxiOS/140.0', 'Firefox'],
    ['EdgiOS/140.0 Version/18.0', 'Microsoft Edge'],
  ].map(([own, name]) => [
    `Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ${own} Mobile/15E148 Safari/604.1`,
    `${name} on iPad`,
  ]),
  [
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    'Chrome on Chrome OS',
  ],
  ['Something (Linux)', 'A program on Linux'],
  ['curl/8.0', 'An unknown program'],
  ['', 'An unknown program'],
  ['<script>', 'An unknown program'],
  ['Call 555 0100 now/1 (Linux)', 'A program on Linux'],
  ['constructor/1 (x)', 'An unknown program'],
])('%s is %s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name)
})
