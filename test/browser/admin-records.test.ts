import { program } from '@gatehouse/test/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  askForToken,
  doAfterQuestion,
  isActive,
  message,
  openClient,
  problem,
  rows,
} from './administration.ts'
import { heading, loggedInPage, password, type Setting, startOwnSetting } from './setting.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('the pages about tokens, keys and the audit log', () => {
  let setting: Setting
  let page: Page
  beforeAll(async () => {
    setting = await startOwnSetting()
    page = await loggedInPage(setting, 'admin')
  })
  afterAll(() => setting?.stop())
  beforeEach(() => {
    setting.complaints.length = 0
  })

  test('finds the tokens of a client and revokes one of them', async () => {
    const [client, other] = [await setting.system.register(), await setting.system.register()]
    const tokens = [await askForToken(setting, client), await askForToken(setting, client)]
    const foreign = await askForToken(setting, other)
    await openClient(page, client)
    await page.getByRole('link', { name: 'Access tokens' }).click()
    expect((await rows(page)).map(([, id, user, scope]) => [id, user, scope])).toEqual(
      Array(2).fill([client.client_id, '–', 'read write']),
    )
    await page
      .getByRole('link', { name: /^Revoke / })
      .first()
      .click()
    await page.getByRole('button', { name: 'Revoke the token' }).click()
    expect(await message(page)).toBe('Token revoked.')
    const active = await Promise.all(tokens.map(({ accessToken }) => isActive(setting, accessToken)))
    expect(active.toSorted()).toEqual([false, true])
    expect(await isActive(setting, foreign.accessToken)).toBe(true)

    await page.getByLabel('Client id or user id').fill(` ${client.client_id} `)
    await page.getByRole('button', { name: 'Search' }).click()
    expect((await rows(page)).map((cells) => cells[6]).toSorted()).toEqual(['active', 'revoked'])
    await page.getByRole('link', { name: 'Show all' }).click()
    expect(new Set((await rows(page)).map(([, id]) => id))).toContain(other.client_id)
    expect(setting.complaints).toEqual([])
  })

  test('knows the id of an imported client from that of a user', async () => {
    await setting.sql(
      `insert into clients.clients (client_id, client_name, scope, token_endpoint_auth_method)
       values ('imported-shop', 'Shop', 'read', 'client_secret_basic')`,
    )
    await page.goto('/admin/tokens')
    await page.getByLabel('Client id or user id').fill('imported-shop')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'imported-shop' }).click()
    expect(new URL(page.url()).pathname).toBe('/admin/clients/imported-shop')
  })

  test('finds the tokens of a user by their id', async () => {
    const theirPage = await loggedInPage(setting)
    const client = await setting.app.register()
    await theirPage.goto(setting.app.authorizeAddress(client))
    await theirPage.getByRole('button', { name: 'Allow' }).click()
    await theirPage.waitForURL(`${setting.app.redirectUri}?*`)
    await setting.app.redeem(client)
    const [token] = await setting.sql<{ user_id: string; username: string }>(
      `select user_id, username from token.access_tokens where client_id = $1`,
      [client.client_id],
    )
    await page.goto('/admin/tokens')
    await page.getByLabel('Client id or user id').fill(token?.user_id ?? '')
    await page.getByRole('button', { name: 'Search' }).click()
    expect((await rows(page)).map(([, id, user]) => [id, user])).toEqual([
      [client.client_id, token?.username],
    ])
  })

  test('revokes a pasted token, and refuses a text that is not a token', async () => {
    const { accessToken } = await askForToken(setting, await setting.system.register())
    await page.goto('/admin/tokens')
    const paste = async (text: string) => {
      await page.getByLabel('Token to revoke').fill(text)
      await page.getByRole('button', { name: 'Revoke' }).click()
    }
    await paste('')
    expect(await problem(page)).toBe('Paste the token first.')
    await paste('no token')
    expect(await problem(page)).toBe('There is no such token.')
    expect(await page.content()).not.toContain('no token')
    await paste(` ${accessToken}\n`)
    expect(await message(page)).toBe('Token revoked.')
    expect(await isActive(setting, accessToken)).toBe(false)
    expect(page.url()).not.toContain(accessToken.slice(0, 8))
  })

  test('rotates the signing key and keeps issued tokens valid', async () => {
    const client = await setting.system.register()
    const { accessToken } = await askForToken(setting, client)
    await page.goto('/admin/keys')
    const before = await rows(page)
    expect(before.at(0)?.at(2)).toBe('signs')
    await doAfterQuestion(page, 'Rotate HS256…', 'Rotate the key')
    expect(await message(page)).toContain('signed with the new key')
    const after = await rows(page)
    expect(after).toHaveLength(before.length + 1)
    expect(after.map(([, , state]) => state).toSorted()).toEqual([
      'signs',
      expect.stringMatching(/^verifies until 20\d\d-/),
    ])
    expect(await isActive(setting, accessToken)).toBe(true)
    await expect
      .poll(async () => {
        const fresh = (await askForToken(setting, client)).accessToken
        return JSON.parse(Buffer.from(fresh.split('.')[0] ?? '', 'base64url').toString()).kid
      })
      .toBe(after.find(([, , state]) => state === 'signs')?.[0])
  })

  test('shows in the audit log who changed what from where, before and after, without secrets', async () => {
    await page.goto('/admin/clients/new')
    await page.getByLabel('Name').fill('Logged')
    await page.getByLabel('Redirect URIs').fill('https://a.example/cb')
    await page.getByRole('button', { name: 'Create client' }).click()
    const secrets = [await page.getByRole('status', { name: 'Client secret' }).innerText(), password]
    await page.getByRole('link', { name: 'I have copied it' }).click()
    const clientId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Scope').fill('read write')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'New secret…' }).click()
    await page.getByRole('button', { name: 'Create new secret' }).click()
    secrets.push(await page.getByRole('status', { name: 'Client secret' }).innerText())
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await doAfterQuestion(page, 'Revoke tokens…', 'Revoke tokens')
    await doAfterQuestion(page, 'Disable…', 'Disable client')

    await page.getByRole('link', { name: 'Audit log' }).click()
    const entries = await rows(page)
    expect(entries.map(([, who, from, what, target]) => [who, from, what, target])).toEqual(
      ['client.update', 'tokens.end', 'client.secret.rotate', 'client.update', 'client.create'].map(
        (what) => ['admin', '127.0.0.1', what, clientId],
      ),
    )
    expect(entries.map((cells) => cells[5])).toEqual([
      'disabled: false → true',
      expect.any(String),
      expect.stringContaining('previous_secret_expires_at: 20'),
      'scope: read → read write',
      expect.stringContaining('redirect_uris: https://a.example/cb'),
    ])
    for (const secret of secrets) expect(await page.content()).not.toContain(secret)
  })

  test('shows actions on users and keys too, and searches by actor and target', async () => {
    await page.goto('/admin/users/new')
    await page.getByLabel('User name').fill('noted')
    await page.getByLabel('Password').fill('the password of noted')
    await page.getByRole('button', { name: 'Create user' }).click()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await page.getByRole('link', { name: 'Reset password…' }).click()
    await page.getByRole('button', { name: 'Reset password' }).click()
    const made = await page.getByRole('status', { name: 'Password' }).innerText()
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await doAfterQuestion(page, 'Delete…', 'Delete user')

    await page.goto('/admin/audit')
    await page.getByLabel('Target id').fill(id)
    await page.getByRole('button', { name: 'Search' }).click()
    expect((await rows(page)).map(([, , , what]) => what)).toEqual([
      'user.delete',
      'user.password.reset',
      'user.create',
    ])
    for (const secret of [made, 'the password of noted']) expect(await page.content()).not.toContain(secret)
    await page.getByRole('link', { name: 'admin', exact: true }).nth(1).click()
    expect(await page.getByRole('main').innerText()).toContain('Only actions of')
    expect((await rows(page)).map(([, , , what]) => what)).toEqual(
      expect.arrayContaining(['user.delete', 'signing_key.rotate', 'client.create']),
    )
    await page.goto('/admin/audit?target=nothing')
    expect(await page.getByRole('main').innerText()).toContain('No actions found.')
  })

  test('lists every client once, page by page, and searches by a part of the name', async () => {
    await setting.sql(
      `insert into clients.clients (client_id, client_name, redirect_uris, grant_types, scope,
         token_endpoint_auth_method, created_at)
       select 'client_paged-' || n, 'Paged_' || n, '{}', '{client_credentials}', 'read', 'client_secret_basic',
         now() - n * interval '1 minute' from generate_series(1, 110) n`,
    )
    await page.goto('/admin/clients')
    await page.getByLabel('Name or id').fill('pAGED_')
    await page.getByRole('button', { name: 'Search' }).click()
    const seen: (string | undefined)[] = []
    for (let pages = 1; ; pages++) {
      seen.push(...(await rows(page)).map(([name]) => name))
      if ((await page.getByRole('link', { name: 'Next page' }).count()) === 0) break
      expect(pages).toBeLessThan(4)
      await page.getByRole('link', { name: 'Next page' }).click()
    }
    expect(seen).toHaveLength(110)
    expect(new Set(seen).size).toBe(110)
    await page.getByRole('link', { name: 'First page' }).click()
    expect((await rows(page))[0]?.[0]).toBe('Paged_1')
    expect(await page.getByLabel('Name or id').inputValue()).toBe('pAGED_')

    await page.getByLabel('Name or id').fill('client_paged-77')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/*search=client_paged-77')
    expect((await rows(page)).map(([name]) => name)).toEqual(['Paged_77'])
    for (const wildcard of ['%', '_aged', 'Paged%']) {
      await page.goto(`/admin/clients?search=${encodeURIComponent(wildcard)}`)
      expect(await page.getByRole('main').innerText()).toContain('No client matches')
    }
    await page.goto('/admin/clients?cursor=made-up')
    expect(await heading(page)).toBe('This request does not work')
    await page.getByRole('link', { name: 'Back to Clients' }).click()
    expect(await heading(page)).toBe('Clients')
  })
})
