import { Page } from '../parts/page.tsx'
import { TabPages } from '../parts/tab-pages.tsx'
import { useTexts } from '../texts/language.ts'
import { AuditList } from './audit-list.tsx'
import { ClientFailureList } from './client-failure-list.tsx'
import { LoginList } from './login-list.tsx'
import { activityTexts } from './texts.ts'

/** What happened: logins, clients that did not authenticate, and what administrators did. */
export function Activity() {
  const t = useTexts(activityTexts)
  return (
    <Page title={t.activity} about={t.about}>
      <TabPages
        tabs={[
          { name: 'logins', label: t.logins, content: () => <LoginList /> },
          { name: 'failures', label: t.failures, content: () => <ClientFailureList /> },
          { name: 'audit', label: t.audit, content: () => <AuditList /> },
        ]}
      />
    </Page>
  )
}
