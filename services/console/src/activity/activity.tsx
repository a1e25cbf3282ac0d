import { Page } from '../parts/page.tsx'
import { TabPages } from '../parts/tab-pages.tsx'
import { useTexts } from '../texts/language.ts'
import { AuditList } from './audit-list.tsx'
import { ClientFailureList } from './client-failure-list.tsx'
import { Everything } from './everything.tsx'
import { LoginList } from './login-list.tsx'
import { OverLimitList } from './over-limit-list.tsx'
import { everythingTexts } from './texts/everything.ts'
import { limitTexts } from './texts/limit.ts'
import { activityTexts } from './texts/texts.ts'

/** The page of past events: logins, clients that did not authenticate, callers over a limit, and the actions of administrators. */
export function Activity() {
  const t = useTexts(activityTexts)
  const { all } = useTexts(everythingTexts)
  const limits = useTexts(limitTexts)
  return (
    <Page title={t.activity} about={t.about}>
      <TabPages
        tabs={[
          { name: 'all', label: all, content: () => <Everything /> },
          { name: 'logins', label: t.logins, content: () => <LoginList /> },
          { name: 'failures', label: t.failures, content: () => <ClientFailureList /> },
          { name: 'limits', label: limits.limits, content: () => <OverLimitList /> },
          { name: 'audit', label: t.audit, content: () => <AuditList /> },
        ]}
      />
    </Page>
  )
}
