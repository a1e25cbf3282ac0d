import { startMailServer } from '@gatehouse/test/servers/mail-server'
import { describe, expect, test } from 'vitest'
import { MailFailure } from '../../src/mail/mail-transport.ts'
import { createMailQueue } from '../../src/store/mail/mail-queue.ts'
import { mailWriter } from '../../src/store/mail/mails.ts'
import { newAddress, sendingOf, smtpTo } from '../store/mail/mails.ts'
import { useReplicas } from '../store/replica.ts'

const shared = useReplicas()

/** Writes a mail with a link to an address, as a domain function does. */
async function waitingMail(recipient = newAddress()): Promise<string> {
  const { prisma } = shared.replica().database
  const mail = {
    kind: 'sign_up',
    userId: undefined,
    recipient,
    language: 'en',
    content: { returnTo: '/x' },
  } as const
  const id = await prisma.$transaction((transaction) => mailWriter.toAddress(transaction, mail))
  return id ?? ''
}

const stateOf = async (id: string) => {
  const [row] = await shared.query(
    'select state, attempts, failure, extract(epoch from due_at - now())::float8 as due from identity.mails where mail_id = $1',
    [id],
  )
  return row as { state: string; attempts: number; failure: string; due: number }
}

const soon = (id: string) => shared.query('update identity.mails set due_at = now() where mail_id = $1', [id])

describe('sending mails', () => {
  test('hands a mail to the server with both parts, its language and headers that keep automatic answers away', async () => {
    const server = await startMailServer()
    const transport = smtpTo(server.url)
    const address = newAddress()
    const id = await waitingMail(address)
    await sendingOf(shared.replica(), transport).send()
    const [mail] = server.mails
    expect(mail?.to).toMatchObject({ text: address })
    expect(mail?.from?.value).toEqual([{ name: 'Gatehouse', address: 'no-reply@login.example.com' }])
    expect(mail?.subject).toBe('Finish signing up for Gatehouse')
    expect(mail?.headers.get('auto-submitted')).toBe('auto-generated')
    expect(mail?.headers.get('content-language')).toBe('en')
    expect(mail?.text).toMatch(/https:\/\/login\.example\.com\/auth\/signup\/complete\?token=[\w-]{43}\n/)
    expect(mail?.html).toContain('/auth/signup/complete?token=')
    expect(await stateOf(id)).toMatchObject({ state: 'sent', attempts: 1, failure: '' })
    transport.close()
    await server.close()
  })

  test('stores no secret of a link: only its digest', async () => {
    const server = await startMailServer()
    const transport = smtpTo(server.url)
    const id = await waitingMail()
    await sendingOf(shared.replica(), transport).send()
    const secret = /token=([\w-]{43})/.exec(server.mails[0]?.text ?? '')?.[1] ?? ''
    expect(secret).not.toBe('')
    const rows = await shared.query(
      'select m.content, l.link_digest, l.content as link from identity.mails m join identity.mail_links l using (mail_id) where mail_id = $1',
      [id],
    )
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(secret)
    transport.close()
    await server.close()
  })

  test('tries again when the server is away, with longer and longer pauses, and says why', async () => {
    const server = await startMailServer()
    const { port, url } = server
    await server.close()
    const id = await waitingMail()
    const transport = smtpTo(url)
    const { send, outcomes, lines } = sendingOf(shared.replica(), transport)
    await send()
    const first = await stateOf(id)
    expect(first).toMatchObject({
      state: 'waiting',
      attempts: 1,
      failure: expect.stringContaining('ECONNREFUSED'),
    })
    expect(first.due).toBeGreaterThan(2)
    expect(first.due).toBeLessThanOrEqual(5)
    await soon(id)
    await send()
    expect((await stateOf(id)).due).toBeGreaterThan(10)
    const again = await startMailServer({ port })
    await soon(id)
    await send()
    expect(await stateOf(id)).toMatchObject({ state: 'sent', attempts: 3, failure: '' })
    expect(again.mails).toHaveLength(1)
    expect(outcomes).toEqual(['failed', 'failed', 'sent'])
    expect(lines.filter(({ level }) => level === 40)).toHaveLength(2)
    transport.close()
    await again.close()
  })

  test('gives a mail up at once that the server refuses for good, and the log does not name the recipient', async () => {
    const server = await startMailServer({ refuses: (recipient) => recipient.startsWith('gone') })
    const transport = smtpTo(server.url)
    const id = await waitingMail('gone@example.com')
    const other = await waitingMail()
    const { send, lines } = sendingOf(shared.replica(), transport)
    await send()
    expect(await stateOf(id)).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('unknown here'),
    })
    expect(await stateOf(other)).toMatchObject({ state: 'sent' })
    expect(JSON.stringify(lines)).not.toContain('gone@')
    transport.close()
    await server.close()
  })

  test('gives a mail to an address beyond ASCII up at once where the server takes none, and says so', async () => {
    const server = await startMailServer({ asciiOnly: true })
    const transport = smtpTo(server.url)
    const ids = [await waitingMail('jürgen@example.com'), await waitingMail('ann@münchen.example')]
    const { send } = sendingOf(shared.replica(), transport)
    await send()
    expect(await stateOf(ids[0] ?? '')).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('does not offer SMTPUTF8 (RFC 6531)'),
    })
    // A domain has a form in ASCII.
    expect(await stateOf(ids[1] ?? '')).toMatchObject({ state: 'sent' })
    expect(server.mails).toHaveLength(1)
    transport.close()
    await server.close()
  })

  test('hands a mail to an address beyond ASCII to a server that takes it, and greets it by its own name', async () => {
    const server = await startMailServer()
    const transport = smtpTo(server.url)
    const id = await waitingMail('jürgen@example.com')
    const { send } = sendingOf(shared.replica(), transport)
    await send()
    expect(await stateOf(id)).toMatchObject({ state: 'sent' })
    expect(server.greetings).toEqual(['auth.example.com'])
    transport.close()
    await server.close()
  })

  test('keeps a mail to an address beyond ASCII while the server is away', async () => {
    const server = await startMailServer()
    await server.close()
    const transport = smtpTo(server.url)
    const id = await waitingMail('jürgen@example.com')
    const { send } = sendingOf(shared.replica(), transport)
    await send()
    expect(await stateOf(id)).toMatchObject({
      state: 'waiting',
      failure: expect.stringContaining('ECONNREFUSED'),
    })
    await shared.query('delete from identity.mails where mail_id = $1', [id])
    transport.close()
  })

  test('keeps a mail that the server refuses for now', async () => {
    const server = await startMailServer({ busy: true })
    const transport = smtpTo(server.url)
    const id = await waitingMail()
    await sendingOf(shared.replica(), transport).send()
    expect(await stateOf(id)).toMatchObject({
      state: 'waiting',
      failure: expect.stringContaining('try again later'),
    })
    await shared.query('delete from identity.mails where mail_id = $1', [id])
    transport.close()
    await server.close()
  })

  test('gives a mail with a link up whose user was deleted meanwhile', async () => {
    const [row] = await shared.query(
      `insert into identity.mails (mail_id, kind, user_id, recipient, language, content)
      values (gen_random_uuid(), 'password_reset', gen_random_uuid(), $1, 'en', '{}') returning mail_id as id`,
      [newAddress()],
    )
    const { send, outcomes } = sendingOf(shared.replica(), { send: () => expect.unreachable('it was sent') })
    await send()
    expect(await stateOf(`${row?.id}`)).toMatchObject({
      ...{ state: 'failed', attempts: 1, failure: 'What it was for has ended.' },
    })
    expect(outcomes).toEqual([])
  })

  test('gives a mail up after a day', async () => {
    const id = await waitingMail()
    await shared.query(`update identity.mails set give_up_at = now() where mail_id = $1`, [id])
    const { send, outcomes } = sendingOf(shared.replica(), {
      send: async () => {
        throw new MailFailure('the server is away', { final: false })
      },
    })
    await send()
    expect(await stateOf(id)).toMatchObject({ state: 'failed', failure: 'the server is away' })
    expect(outcomes).toEqual(['given_up'])
  })

  test('sends each mail once, however many replicas send', async () => {
    const server = await startMailServer()
    const transport = smtpTo(server.url)
    const replicas = [shared.replica(), shared.another(), shared.another()]
    await Promise.all(Array.from({ length: 45 }, () => waitingMail()))
    await Promise.all(replicas.map((replica) => sendingOf(replica, transport).send()))
    const recipients = server.mails.map(({ to }) => [to].flat()[0]?.text)
    expect(recipients).toHaveLength(45)
    expect(new Set(recipients).size).toBe(45)
    transport.close()
    await server.close()
  })

  test('sends a mail again whose replica died while it sent it', async () => {
    const id = await waitingMail()
    const [taken] = await createMailQueue(shared.replica().database).take(10, 300)
    expect(taken?.id).toBe(id)
    const server = await startMailServer()
    const transport = smtpTo(server.url)
    const { send } = sendingOf(shared.replica(), transport)
    await send()
    expect(server.mails).toEqual([])
    await soon(id)
    await send()
    expect(server.mails).toHaveLength(1)
    // The dead replica was only slow: what it says of its attempt no longer counts.
    await createMailQueue(shared.replica().database).failed({ id, attempt: 1 }, 'too late', 5)
    expect(await stateOf(id)).toMatchObject({ state: 'sent' })
    transport.close()
    await server.close()
  })

  test('sends neither mail nor password to a server whose certificate is not trusted', async () => {
    const server = await startMailServer({ login: { user: 'gate', password: 'p@ss:word/1' } })
    const id = await waitingMail()
    const transport = smtpTo(server.url)
    await sendingOf(shared.replica(), transport).send()
    expect(server.mails).toEqual([])
    expect(await stateOf(id)).toMatchObject({
      state: 'waiting',
      failure: expect.stringMatching(/certificate/i),
    })
    await shared.query('delete from identity.mails where mail_id = $1', [id])
    transport.close()
    await server.close()
  })

  test('never sends a password unencrypted', async () => {
    const server = await startMailServer()
    const id = await waitingMail()
    const transport = smtpTo(server.url.replace('smtp://', 'smtp://user:password@'))
    await sendingOf(shared.replica(), transport).send()
    expect(server.mails).toEqual([])
    const { state, failure } = await stateOf(id)
    expect(state).toBe('waiting')
    expect(failure).toMatch(/STARTTLS/)
    expect(failure).not.toContain('password')
    await shared.query('delete from identity.mails where mail_id = $1', [id])
    transport.close()
    await server.close()
  })
})
