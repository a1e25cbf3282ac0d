import type { OAuthClient } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, MultiSelect, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAct } from '../actions/act.ts'
import { useConfirmation } from '../actions/confirm.tsx'
import { read } from '../api.ts'
import { labelOf } from '../form/schema-form.tsx'
import { formTexts } from '../form/texts.ts'
import { Panel } from '../parts/panel.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { useClientSchema } from './field-schemas.ts'
import { changeClient } from './requests.ts'
import { clientTexts } from './texts.ts'

type Role = NonNullable<OAuthClient['roles']>[number]

/** A role in words. */
export const roleText = ({ resource, role }: Role) => `${resource}: ${role}`

// Neither an identifier nor the name of a role has a space.
const keyOf = ({ resource, role }: Role) => `${resource} ${role}`
const roleIn = (key: string): Role => {
  const [resource = '', role = ''] = key.split(' ')
  return { resource, role }
}

/** The roles that a client itself has, of those of the resource servers. It asks before it takes one, which ends tokens. */
export function ClientRoles({ client }: { client: OAuthClient }) {
  const { client_id: id, revision, roles = [] } = client
  const t = useTexts(clientTexts)
  const common = useTexts(commonTexts)
  const { discard } = useTexts(formTexts)
  const schema = useClientSchema('ClientChange')
  const { act, isPending } = useAct()
  const { ask, dialog } = useConfirmation()
  const [edited, setEdited] = useState<readonly string[]>()
  const known = useKnownRoles()
  const before = roles.map(keyOf)
  const chosen = edited ?? before
  const taken = before.filter((key) => !chosen.includes(key)).map((key) => roleText(roleIn(key)))
  const dirty = taken.length > 0 || chosen.length > before.length
  const save = async () => {
    const change = { roles: chosen.map(roleIn), revision }
    const saved = await act(() => changeClient(id, change), common.saved)
    // An edit that was made meanwhile stays.
    if (saved) setEdited((now) => (now === edited ? undefined : now))
  }
  const offered = [...new Set([...known.roles.map(keyOf), ...before])]
  const isGone = (key: string) => known.complete && !known.roles.some((role) => keyOf(role) === key)
  return (
    <Panel title={labelOf(schema, 'roles')} maw={640}>
      <Stack gap="sm">
        <MultiSelect
          aria-label={labelOf(schema, 'roles')}
          description={schema.properties.roles?.description}
          data={offered.map((key) => ({
            value: key,
            label: isGone(key) ? t.roleGone(roleText(roleIn(key))) : roleText(roleIn(key)),
          }))}
          value={[...chosen]}
          onChange={setEdited}
          searchable
        />
        <Group>
          <Button
            loading={isPending}
            disabled={!dirty}
            onClick={() =>
              taken.length === 0
                ? void save()
                : ask({
                    title: t.takeRolesTitle(taken.join(', ')),
                    consequences: t.takeRolesEnds,
                    action: t.saveRoles,
                    perform: save,
                  })
            }
          >
            {t.saveRoles}
          </Button>
          {dirty && (
            <Button variant="subtle" onClick={() => setEdited(undefined)} disabled={isPending}>
              {discard}
            </Button>
          )}
        </Group>
      </Stack>
      {dialog}
    </Panel>
  )
}

/** The roles of resource servers, as far as this administrator may see them. `complete` says whether that is all of them. */
function useKnownRoles(): { roles: Role[]; complete: boolean } {
  const enabled = useMay()('resources', 'read')
  const { data } = useQuery({ ...read('/admin/api/resources', { query: { limit: 200 } }), enabled })
  const roles = (data?.items ?? []).flatMap(({ identifier, roles }) =>
    roles.map(({ name }) => ({ resource: identifier, role: name })),
  )
  return { roles, complete: data !== undefined && data.next_cursor === undefined }
}
