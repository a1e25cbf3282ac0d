import { rootActor } from '@gatehouse/gateway/testing/administrator'
import { type Case, created, ends } from './admin-api-case.ts'

const mailId = '019b7a5e-0000-7000-8000-000000000006'
const invitation = {
  ...{ mailId, address: 'ann@example.com', language: 'de', state: 'sent' },
  ...{ createdAt: created, expiresAt: ends },
}

/** The requests about invitations. */
export const invitationCases: Case[] = [
  {
    request: ['POST', '/admin/api/invitations', { email: 'ann@example.com', language: 'de', name: 'Ann' }],
    ...{ service: 'mails', call: 'inviteUser' },
    asked: { address: 'ann@example.com', language: 'de', attributes: { name: 'Ann' }, actor: rootActor },
    gives: { mailId },
    answer: [202, { mail_id: mailId }],
  },
  {
    // The service checks the address, as it does that of a user.
    request: ['POST', '/admin/api/invitations', { email: 'ü@münchen.example' }],
    ...{ service: 'mails', call: 'inviteUser' },
    asked: { address: 'ü@münchen.example', language: 'en', attributes: {}, actor: rootActor },
    gives: { mailId },
    answer: [202, { mail_id: mailId }],
  },
  {
    request: ['GET', '/admin/api/invitations?limit=2&cursor=c'],
    ...{ service: 'mails', call: 'listInvitations' },
    asked: { cursor: 'c', limit: 2 },
    gives: {
      invitations: [
        invitation,
        // A mail that waits has no link yet. A state that this release does not know waits, too.
        { ...invitation, state: 'waiting', expiresAt: undefined },
        { ...invitation, state: 'a new one' },
      ],
      nextCursor: 'next',
    },
    answer: [
      200,
      {
        items: [
          {
            ...{ mail_id: mailId, email: 'ann@example.com', language: 'de', state: 'sent' },
            ...{ created_at: '2030-01-01T00:00:00.000Z', expires_at: '2030-01-01T01:00:00.000Z' },
          },
          {
            ...{ mail_id: mailId, email: 'ann@example.com', language: 'de', state: 'waiting' },
            created_at: '2030-01-01T00:00:00.000Z',
          },
          {
            ...{ mail_id: mailId, email: 'ann@example.com', language: 'de', state: 'waiting' },
            ...{ created_at: '2030-01-01T00:00:00.000Z', expires_at: '2030-01-01T01:00:00.000Z' },
          },
        ],
        next_cursor: 'next',
      },
    ],
  },
  {
    request: ['POST', `/admin/api/invitations/${mailId}/resend`],
    ...{ service: 'mails', call: 'resendInvitation' },
    asked: { mailId, actor: rootActor },
    gives: { mailId: '019b7a5e-0000-7000-8000-000000000007' },
    answer: [202, { mail_id: '019b7a5e-0000-7000-8000-000000000007' }],
  },
  {
    request: ['DELETE', `/admin/api/invitations/${mailId}`],
    ...{ service: 'mails', call: 'withdrawInvitation' },
    asked: { mailId, actor: rootActor },
    gives: {},
    answer: [204],
  },
]
