import type { MailWithText } from '@gatehouse/admin-api/generated/openapi'
import { Button, Group, Paper, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useAction } from '../actions/use-action.ts'
import { read } from '../api.ts'
import { UserById } from '../names/user-by-id.tsx'
import { CopyableCode } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { LoadedPage } from '../parts/loaded-page.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Preformatted } from '../parts/preformatted.tsx'
import { useMay } from '../shell/administrator.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/language.ts'
import { useMailRetry } from './actions.ts'
import { useKindWords } from './kinds.ts'
import { MailState } from './mail-state.tsx'
import { linkIn } from './mail-text.ts'
import { atMail } from './requests.ts'
import { mailTexts } from './texts.ts'

/** How often a mail that waits is read, in milliseconds. */
const interval = 3_000

/** Everything about one mail. */
export function MailPage() {
  const { mailId = '' } = useParams({ strict: false })
  const query = useQuery({
    ...read('/admin/api/mails/{mail_id}', atMail(mailId).params),
    refetchInterval: ({ state }) => (state.data?.state === 'waiting' ? interval : false),
  })
  return <LoadedPage query={query}>{(mail) => <KnownMail mail={mail} />}</LoadedPage>
}

function KnownMail({ mail }: { mail: MailWithText }) {
  const kindWords = useKindWords()
  const mayWrite = useMay()('mails', 'write')
  const { start, isPending } = useAction()
  const retry = useMailRetry()
  return (
    <Page
      title={kindWords(mail.kind)}
      about={<bdi>{mail.recipient}</bdi>}
      actions={
        mayWrite &&
        retry.concerns?.(mail) && (
          <Button variant="default" loading={isPending} onClick={() => start(retry, mail, mail.recipient)}>
            {retry.label}
          </Button>
        )
      }
    >
      <Paper withBorder p="md">
        <MailFacts mail={mail} />
      </Paper>
      <MailText mail={mail} />
    </Page>
  )
}

function MailFacts({ mail }: { mail: MailWithText }) {
  const t = useTexts(mailTexts)
  const common = useTexts(commonTexts)
  const { user_id: userId, ended_at: ended, due_at: due } = mail
  return (
    <Facts
      facts={[
        [t.state, <MailState key="state" mail={mail} />],
        [t.recipient, <bdi key="recipient">{mail.recipient}</bdi>],
        [t.user, userId ? <UserById key="user" id={userId} /> : t.noUser],
        [t.language, mail.language],
        [t.written, <Moment key="written" at={mail.created_at} />],
        [t.due, due && <Moment key="due" at={due} />],
        [mail.state === 'failed' ? t.givenUp : t.sent, ended && <Moment key="ended" at={ended} />],
        [t.attempts, mail.attempts],
        [common.id, <CopyableCode key="id" value={mail.mail_id} label={common.id} />],
      ]}
    />
  )
}

/** The mail as the recipient reads it. Its HTML is never shown as such: it is not a page of the console. */
function MailText({ mail: { state, text } }: { mail: MailWithText }) {
  const t = useTexts(mailTexts)
  const { data: server } = useQuery(read('/.well-known/oauth-authorization-server'))
  if (text === undefined) return state === 'sent' ? <Text c="dimmed">{t.noText}</Text> : null
  const link = server && linkIn(text.text, server.issuer)
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm" dir="auto">
        {text.subject}
      </Title>
      <Preformatted text={text.text} />
      {link && (
        <Group mt="md">
          <Button component="a" href={link} target="_blank" rel="noopener noreferrer" variant="default">
            {t.openLink}
          </Button>
        </Group>
      )}
      <Text size="sm" c="dimmed" mt="md">
        {t.whyText}
      </Text>
    </Paper>
  )
}
