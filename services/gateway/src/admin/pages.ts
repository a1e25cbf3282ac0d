import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import type { Places } from '../places.ts'
import { auditPage } from './pages/audit.ts'
import { clientAuthenticationFailuresPage } from './pages/client-authentication-failures.ts'
import { clientFormPages } from './pages/client-form.ts'
import { clientQuestions } from './pages/client-questions.ts'
import { clientPages } from './pages/clients.ts'
import { dashboardPage } from './pages/dashboard.ts'
import { keyPages } from './pages/keys.ts'
import { loginsPage } from './pages/logins.ts'
import { mailPages } from './pages/mails.ts'
import { resourceFormPages } from './pages/resource-form.ts'
import { resourcePages } from './pages/resources.ts'
import { tokenPages } from './pages/tokens.ts'
import { userFormPages } from './pages/user-form.ts'
import { userQuestions } from './pages/user-questions.ts'
import { userPages } from './pages/users.ts'

/**
 * Declares the pages for administrators.
 * @param deps openid: whether OpenID Connect is on
 */
export function adminPages(app: App, deps: AdminDeps & { openid: boolean; places: Places }): void {
  dashboardPage(app, deps)
  clientPages(app, deps)
  clientFormPages(app, deps)
  clientQuestions(app, deps)
  resourcePages(app, deps)
  resourceFormPages(app, deps)
  tokenPages(app, deps)
  userPages(app, deps)
  userFormPages(app, deps)
  userQuestions(app, deps)
  keyPages(app, deps)
  auditPage(app, deps)
  loginsPage(app, deps)
  clientAuthenticationFailuresPage(app, deps)
  mailPages(app, deps)
}
