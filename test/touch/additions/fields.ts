import type { Addition } from '../addition.ts'
import { filesThatName } from '../product.ts'

const keysOfClients = [
  'services/kit/src/keys/**',
  'services/token/src/clients/**',
  'services/console/src/clients/keys/**',
  'deploy/cli/src/keys/**',
]

/** Additions that are as cheap as they should be, counted by the files that contain the latest one of their kind. */
export const fields: readonly Addition[] = [
  // Its entry, and its words in the languages of the console.
  named('a client field that only travels', 'software_version', 2),
  // Its entry, and its words in the languages of the pages and of the console.
  named('a user attribute that only travels', 'family_name', 3),
  named('a client field with a meaning', 'access_token_lifetime', 4),
  named('an algorithm of key pairs', 'PS256', 3, { except: keysOfClients }),
  // It is read, verified, made by the command line and in the browser, and named there.
  named('an algorithm of the keys of clients', 'PS256', 5, { within: keysOfClients }),
]

function named(
  kind: string,
  word: string,
  most: number,
  where: Omit<Parameters<typeof filesThatName>[0], 'words'> = {},
): Addition {
  return {
    name: `${kind} (${word})`,
    goal: most,
    most,
    precedent: () => filesThatName({ words: `\\b${word}\\b`, ...where }),
  }
}
