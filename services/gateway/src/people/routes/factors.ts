import { endpoint } from '../../endpoint/endpoint.ts'
import { accountFactorRoutes } from './account-factors.ts'
import { enrolmentRoutes } from './enrolment.ts'
import { newRecoveryCodesRoutes } from './new-recovery-codes.ts'
import { type PasskeyLoginDeps, passkeyLoginRoutes } from './passkey-login.ts'
import { type SecondFactorDeps, secondFactorRoutes } from './second-factor.ts'

/** The pages about passkeys and second factors. */
export const factorPages = endpoint({
  name: 'factors',
  door: 'people',
  routes(app, deps: SecondFactorDeps & PasskeyLoginDeps) {
    secondFactorRoutes(app, deps)
    enrolmentRoutes(app, deps)
    accountFactorRoutes(app, deps)
    newRecoveryCodesRoutes(app, deps)
    passkeyLoginRoutes(app, deps)
  },
})
