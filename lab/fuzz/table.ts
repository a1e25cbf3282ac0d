import type { Target } from './target.ts'
import { addressTargets } from './targets/addresses.ts'
import { browserTargets } from './targets/browser.ts'
import { clientKeyTargets } from './targets/client-keys.ts'
import { clientTargets } from './targets/clients.ts'
import { credentialTargets } from './targets/credentials.ts'
import { eventTargets } from './targets/events.ts'
import { importTargets } from './targets/imports.ts'
import { passkeyTargets } from './targets/passkeys.ts'
import { peopleTargets } from './targets/people.ts'
import { tokenTargets } from './targets/tokens.ts'

/** Everything that is fuzzed. */
export const targets: readonly Target[] = [
  ...credentialTargets,
  ...addressTargets,
  ...tokenTargets,
  ...clientTargets,
  ...clientKeyTargets,
  ...eventTargets,
  ...browserTargets,
  ...passkeyTargets,
  ...peopleTargets,
  ...importTargets,
]
