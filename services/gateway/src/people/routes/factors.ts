import type { App } from '@gatehouse/http/app'
import { accountFactorRoutes } from './account-factors.ts'
import { enrolmentRoutes } from './enrolment.ts'
import { newRecoveryCodesRoutes } from './new-recovery-codes.ts'
import { type PasskeyLoginDeps, passkeyLoginRoutes } from './passkey-login.ts'
import { type SecondFactorDeps, secondFactorRoutes } from './second-factor.ts'

/** The pages about passkeys and second factors. @param secure whether browsers send cookies over https only */
export function factorRoutes(app: App, deps: SecondFactorDeps & PasskeyLoginDeps, secure: boolean): void {
  secondFactorRoutes(app, deps)
  enrolmentRoutes(app, deps)
  accountFactorRoutes(app, deps)
  newRecoveryCodesRoutes(app, deps)
  passkeyLoginRoutes(app, deps, secure)
}
