import type { Invitation } from '@gatehouse/admin-api/generated/openapi'
import { Alert, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { SchemaForm } from '../form/schema-form.tsx'
import { otherUserFields } from '../names/user-fields.ts'
import { PageLink } from '../parts/named.tsx'
import { renewAll } from '../queries.ts'
import { useMay } from '../shell/administrator.tsx'
import { useLanguage, useTexts } from '../texts/language.ts'
import { useUserSchema } from './attributes.ts'
import { InvitationList } from './invitation-list.tsx'
import { inviteUser } from './requests.ts'
import { newUserTexts } from './texts/new-user.ts'

/** The form that invites somebody by mail to create an account. */
export function InvitationForm() {
  const t = useTexts(newUserTexts)
  const { language } = useLanguage()
  const may = useMay()
  const schema = useUserSchema('Invitation')
  const [mailLanguage, setMailLanguage] = useState<string>(language)
  const [sent, setSent] = useState<{ address: string; mailId: string }>()
  const names = new Intl.DisplayNames(language, { type: 'language' })
  const languages = (schema.properties.language?.enum ?? []).filter((code) => code !== null)
  return (
    <Stack>
      <Text size="sm">{t.byMailText}</Text>
      {sent && (
        <Alert color="teal" title={t.invited(sent.address)} role="status" maw={640}>
          {may('mails', 'read') && (
            <PageLink to={`/mails/${sent.mailId}`} inherit>
              {t.seeMail}
            </PageLink>
          )}
        </Alert>
      )}
      <SchemaForm
        schema={schema}
        initial={{}}
        main={['email', 'name']}
        without={otherUserFields}
        action={t.invite}
        send={async (values) => {
          const invitation = { ...values, language: mailLanguage } as Invitation
          setSent(undefined)
          const { mail_id: mailId } = await inviteUser(invitation)
          setSent({ address: invitation.email, mailId })
          void renewAll()
        }}
      >
        <NativeSelect
          label={t.language}
          value={mailLanguage}
          onChange={({ currentTarget }) => setMailLanguage(currentTarget.value)}
          data={languages.map((value) => ({ value, label: names.of(value) ?? value }))}
        />
      </SchemaForm>
      <InvitationList />
    </Stack>
  )
}
