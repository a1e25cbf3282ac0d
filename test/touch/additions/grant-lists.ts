import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { grantTypes } from '@gatehouse/proto/grants'
import type { Addition } from '../addition.ts'
import { filesThatName } from '../product.ts'

/**
 * Files that list grants, and would have to be changed for each new one: besides proto/grants.ts, an example of an event and the guide
 * of the console name some.
 */
export const grantLists: Addition = {
  name: 'a list of grants (an example of an event, and the guide of the console, name some)',
  goal: 3,
  most: 3,
  precedent: () =>
    filesThatName({
      words: '_code|_token|_credentials|password',
      // The table of modules, for which the compiler asks, is counted with the grant.
      except: ['services/token/src/grants/table.ts', 'proto/gatehouse/**'],
    }).filter((file) => {
      const text = readFileSync(join(rootDirectory, file), 'utf8')
      return grantTypes.filter((name) => new RegExp(`['"\`]${name}['"\`]`).test(text)).length > 1
    }),
}
