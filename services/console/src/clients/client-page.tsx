import type { OAuthClient } from '@gatehouse/admin-api/generated/openapi'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { DisablingButton } from '../actions/disabling-button.tsx'
import { ChangeHistory } from '../activity/change-history.tsx'
import { ClientFailureList } from '../activity/client-failure-list.tsx'
import { LoginList } from '../activity/login-list.tsx'
import { everythingTexts } from '../activity/texts/everything.ts'
import { read } from '../api.ts'
import { ButtonLink } from '../parts/button-link.tsx'
import { CopyableCode } from '../parts/copy.tsx'
import { LoadedPage } from '../parts/loaded-page.tsx'
import { Page } from '../parts/page.tsx'
import { type TabPage, TabPages } from '../parts/tab-pages.tsx'
import { useMay } from '../shell/administrator.tsx'
import { useTexts } from '../texts/language.ts'
import { TokenTable } from '../tokens/token-table.tsx'
import { useClientDisabling } from './actions.ts'
import { ClientOverview } from './client-overview.tsx'
import { ClientSettings } from './client-settings.tsx'
import { hidesProofFields } from './field-texts.ts'
import { ClientKeys } from './keys/client-keys.tsx'
import { keyTexts } from './keys/key-texts.ts'
import { atClient } from './requests.ts'
import { clientTexts } from './texts.ts'

/** Everything about one client. */
export function ClientPage() {
  const { clientId = '' } = useParams({ strict: false })
  const query = useQuery(read('/admin/api/clients/{client_id}', atClient(clientId).params))
  return <LoadedPage query={query}>{(client) => <KnownClient client={client} />}</LoadedPage>
}

function KnownClient({ client }: { client: OAuthClient }) {
  const { activity } = useTexts(everythingTexts)
  const may = useMay()
  const disabling = useClientDisabling()
  const tabs = useTabs(client)
  const { client_id: clientId, client_name: name } = client

  return (
    <Page
      title={name}
      about={<CopyableCode value={clientId} />}
      actions={
        <>
          {may('activity', 'read') && (
            <ButtonLink variant="default" to="/activity" search={{ client_id: clientId } as never}>
              {activity}
            </ButtonLink>
          )}
          {may('clients', 'write') && <DisablingButton item={client} name={name} words={disabling} />}
        </>
      }
    >
      <TabPages tabs={tabs} />
    </Page>
  )
}

function useTabs(client: OAuthClient): TabPage[] {
  const t = useTexts(clientTexts)
  const keys = useTexts(keyTexts)
  const may = useMay()
  const { client_id: id } = client
  return [
    { name: 'overview', label: t.overview, content: () => <ClientOverview client={client} /> },
    {
      name: 'keys',
      label: keys.keys,
      shown: !hidesProofFields(client).includes('jwks'),
      content: () => <ClientKeys client={client} />,
    },
    {
      name: 'settings',
      label: t.settings,
      shown: may('clients', 'write') && !client.metadata_document,
      content: () => <ClientSettings client={client} />,
    },
    {
      name: 'tokens',
      label: t.tokens,
      shown: may('tokens', 'read'),
      content: () => <TokenTable of={{ client_id: id }} />,
    },
    {
      name: 'logins',
      label: t.logins,
      shown: may('activity', 'read'),
      content: () => <LoginList of={{ client_id: id }} />,
    },
    {
      name: 'failures',
      label: t.failures,
      shown: may('activity', 'read'),
      content: () => <ClientFailureList clientId={id} />,
    },
    {
      name: 'history',
      label: t.history,
      shown: may('activity', 'read'),
      content: () => <ChangeHistory target={id} />,
    },
  ]
}
