import { randomUUID } from 'node:crypto'
import { linkIn } from '@gatehouse/test/servers/mail-server'
import { describe, expect, test } from 'vitest'
import {
  inviteUser,
  listInvitations,
  sendInvitationAgain,
  withdrawInvitation,
} from '../../src/accounts/invitation.ts'
import { retryMail } from '../../src/accounts/mail-list.ts'
import { completeSignUp } from '../../src/accounts/sign-up.ts'
import { newAddress } from '../store/mail/mails.ts'
import { actor } from '../store/replica.ts'
import { signUpForm, useSignUps } from './signing-up.ts'

const { shared, mailbox, deps, linkFor } = useSignUps()

describe('an invitation', () => {
  const invite = (address: string, changes = {}) =>
    inviteUser(
      { address, language: 'fr', attributes: { name: 'Ann Example', email: 'other@example.com' } },
      actor,
      {
        ...deps().list,
        mode: 'invitation',
        ...changes,
      },
    )

  test('creates a user with its attributes and its address, is good for a week, and is audited', async () => {
    const address = newAddress()
    const id = await invite(address)
    const { mail, secret } = await mailbox.oneFor(address)
    expect(mail.subject).toBe('Vous êtes invité à rejoindre Gatehouse')
    const [link] = await shared.query(
      'select round(extract(epoch from expires_at - now()) / 86400)::int as days from identity.mail_links where mail_id = $1',
      [id],
    )
    expect(link?.days).toBe(7)
    const wanted = signUpForm(secret)
    const outcome = await completeSignUp(wanted, { ...deps().signUp, mode: 'invitation' })
    expect(outcome.outcome).toBe('signed up')
    const [user] = await shared.query('select attributes from identity.users where username = $1', [
      wanted.username,
    ])
    expect(user?.attributes).toEqual({
      name: 'Ann Example',
      email: address,
      email_verified: true,
      locale: 'de',
    })
    expect(await shared.auditOf(id)).toMatchObject([{ action: 'user.invite', actor_id: actor.id }])
  })

  test('is refused where signing up is closed, for an address of a user, and for one that is none', async () => {
    await expect(invite(newAddress(), { mode: 'closed' })).rejects.toThrow(/OAUTH2_SIGNUP/)
    await expect(invite(newAddress(), { mailsOn: false })).rejects.toThrow(/OAUTH2_SMTP_URL/)
    await expect(invite('no address')).rejects.toThrow(/^email must be an e-mail address/)
    const address = newAddress()
    const { secret } = await linkFor(address)
    await completeSignUp(signUpForm(secret), deps().signUp)
    await expect(invite(address)).rejects.toThrow('email is the address of a user.')
  })

  const listed = async (address: string) => {
    const { items } = await listInvitations({ limit: 200 }, deps().list)
    return items.filter((one) => one.address === address)
  }
  const accept = (secret: string) =>
    completeSignUp(signUpForm(secret), { ...deps().signUp, mode: 'invitation' }).then(
      ({ outcome }) => outcome,
    )

  test('that is sent again has a new link, and the earlier one ends at once', async () => {
    const address = newAddress()
    const first = await invite(address)
    expect(await listed(address)).toMatchObject([{ id: first, state: 'waiting', expiresAt: undefined }])
    const { secret: old } = await mailbox.oneFor(address)
    await expect
      .poll(() => listed(address), { timeout: 20_000 })
      .toMatchObject([{ id: first, state: 'sent', expiresAt: expect.any(Date) }])
    const again = await sendInvitationAgain(first, actor, { ...deps().list, mode: 'invitation' })
    expect(again).not.toBe(first)
    expect(await accept(old)).toBe('link over')
    await expect(sendInvitationAgain(first, actor, deps().list)).rejects.toMatchObject({ code: 'not_found' })
    const [mail] = await mailbox.arriving(address)
    expect(await accept(mail ? (linkIn(mail).searchParams.get('token') ?? '') : '')).toBe('signed up')
    expect(await listed(address)).toEqual([])
    expect(await shared.auditOf(again)).toMatchObject([{ action: 'user.invite.resend' }])
    await expect(withdrawInvitation(again, actor, deps().list)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('that is withdrawn ends at once, whether its mail waits or was sent', async () => {
    const [waiting, sent] = [newAddress(), newAddress()]
    const id = await invite(sent)
    const { secret } = await mailbox.oneFor(sent)
    const other = await invite(waiting)
    // Two administrators at once.
    const both = await Promise.allSettled([1, 2].map(() => withdrawInvitation(id, actor, deps().list)))
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await withdrawInvitation(other, actor, deps().list)
    expect(await accept(secret)).toBe('link over')
    expect([await listed(sent), await listed(waiting)]).toEqual([[], []])
    const rows = await shared.query(
      `select state from identity.mails where lower(recipient) = lower($1) and state = 'waiting'`,
      [waiting],
    )
    expect(rows).toEqual([])
    expect((await shared.auditOf(id)).at(-1)).toMatchObject({
      action: 'user.invite.withdraw',
      before: { email: sent },
    })
    await expect(retryMail(other, actor, deps().list)).rejects.toThrow('Only a mail that has failed')
    for (const unknown of ['', 'nothing', randomUUID()])
      await expect(withdrawInvitation(unknown, actor, deps().list)).rejects.toMatchObject({
        code: 'not_found',
      })
  })

  test('goes to an address five times an hour at most, and the last one counts', async () => {
    const address = newAddress()
    for (let count = 0; count < 5; count += 1) await invite(address)
    await expect(invite(address)).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
    expect(await listed(address)).toHaveLength(1)
  })

  test('whose link is over can be sent again', async () => {
    const address = newAddress()
    const id = await invite(address)
    await mailbox.oneFor(address)
    await expect.poll(() => listed(address), { timeout: 20_000 }).toMatchObject([{ state: 'sent' }])
    await shared.query('delete from identity.mail_links where mail_id = $1', [id])
    expect(await listed(address)).toMatchObject([{ id, state: 'expired' }])
    await sendInvitationAgain(id, actor, { ...deps().list, mode: 'invitation' })
    expect(await listed(address)).toHaveLength(1)
  })
})
