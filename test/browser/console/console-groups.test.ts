import { randomUUID } from 'node:crypto'
import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Setting, startSetting } from '../support/setting.ts'
import {
  choose,
  confirmAction,
  heading,
  newResourceServer,
  newUser,
  notice,
  openConsole,
  send,
} from './console.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('groups in the console', () => {
  let setting: Setting
  let page: Page
  let server: { id: string; name: string }
  beforeAll(async () => {
    setting = await startSetting()
    page = await openConsole(setting, '/admin/groups')
    server = await newResourceServer(page)
  })
  afterAll(() => setting?.stop())

  const button = (name: string | RegExp) =>
    page.getByRole('main').getByRole('button', { name, exact: typeof name === 'string' })
  const row = (text: string) => page.getByRole('row').filter({ hasText: text })
  const post = (path: string, body: object) => send(page, 'POST', path, body)
  async function newGroup(description = '') {
    const name = `Group ${randomUUID()}`
    const { group_id: id } = await post('/admin/api/groups', { name, description })
    return { name, id: String(id), path: `/admin/groups/${id}` }
  }

  test('a group is created, gets a member and a role, which is seen on the page of the user, and goes again', async () => {
    const user = await newUser(setting)
    const name = `Developers ${randomUUID()}`
    await page.goto('/admin/groups')
    await page.getByRole('main').getByRole('link', { name: 'Create group' }).first().click()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Description').fill('They write the software.')
    await button('Create group').click()
    await heading(page, name)
    const path = new URL(page.url()).pathname

    await page.getByRole('tab', { name: 'Members' }).click()
    await page.getByText('No members yet').waitFor()
    await choose(page, 'Users', user.name)
    await button('Add').click()
    await notice(page, `Added: ${user.name}.`)
    await row(user.name).waitFor()

    await page.getByRole('tab', { name: 'Roles' }).click()
    await choose(page, 'Resource server', server.name)
    await choose(page, 'Roles', 'editor')
    await button('Give').click()
    await notice(page, 'Given: editor.')
    await row('editor').waitFor()
    expect(await row('editor').innerText()).toContain(server.name)

    await page.goto(`${user.path}?tab=groups`)
    await row('editor').waitFor()
    expect(await row('editor').innerText()).toContain(`Group ${name}`)
    // A role of a group is taken from the group.
    expect(await button('Take editor').count()).toBe(0)

    await page.goto(`${path}?tab=roles`)
    await button('Take editor').click()
    await confirmAction(page, 'Take')
    await notice(page, `${name} has the role editor no more.`)
    await page.goto(`${user.path}?tab=groups`)
    await page.getByText('No roles, neither given directly nor by a group.').waitFor()

    await page.goto(path)
    await button('Delete').click()
    await page.getByLabel(`Type ${name} to confirm`).fill(name)
    await confirmAction(page, 'Delete')
    await page.waitForURL('**/admin/groups')
    await page.goto(`${user.path}?tab=groups`)
    await page.getByText('In no group.').waitFor()
  })

  test('members are removed, several at once, and come back when that is undone', async () => {
    const group = await newGroup()
    const users = [await newUser(setting), await newUser(setting)]
    await page.goto(`${group.path}?tab=members`)
    for (const { name } of users) await choose(page, 'Users', name)
    await button('Add').click()
    await row(users[0]?.name ?? '').waitFor()
    const inGroup = () =>
      setting.sql('select user_id from identity.group_members where group_id = $1', [group.id])
    expect(await inGroup()).toHaveLength(2)
    await page.getByLabel('Select all rows on this page').check()
    await button('Remove').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove (2)' }).click()
    await notice(page, '2 are no members any more.')
    expect(await inGroup()).toEqual([])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(inGroup).toHaveLength(2)
  })

  test('a user is given a role and joins a group on their own page, and the role knows its holders', async () => {
    const user = await newUser(setting)
    const group = await newGroup('For tests')
    await page.goto(`${user.path}?tab=groups`)
    await choose(page, 'Add to groups', group.name)
    await button('Add').click()
    await notice(page, `Member of: ${group.name}.`)
    await choose(page, 'Resource server', server.name)
    await choose(page, 'Roles', 'auditor')
    await button('Give').click()
    await row('auditor').waitFor()
    expect(await row('auditor').innerText()).toContain('Given directly')

    await page.goto(`/admin/resources/${server.id}?tab=holders&role=auditor`)
    await row(user.name).waitFor()
    await page.getByLabel(`Select ${user.name}`).check()
    await button('Take').click()
    await confirmAction(page, 'Take (1)')
    await page.getByText('Nobody has this role').waitFor()

    await page.goto(`${user.path}?tab=groups`)
    await button(`Remove from ${group.name}`).click()
    await confirmAction(page, 'Remove')
    await page.getByText('In no group.').waitFor()
  })

  test('a change of a group that came after somebody else’s shows both', async () => {
    const group = await newGroup('Before')
    await page.goto(`${group.path}?tab=settings`)
    await page.getByLabel('Description').fill('Mine')
    const other = await openConsole(setting, `${group.path}?tab=settings`)
    await other.getByLabel('Description').fill('Theirs')
    await other.getByRole('button', { name: 'Save changes' }).click()
    await notice(other, 'Saved.')
    await other.context().close()
    await button('Save changes').click()
    await page.getByRole('dialog').getByText('Theirs', { exact: true }).waitFor()
    await page.getByRole('dialog').getByRole('button').last().click()
    await notice(page, 'Saved.')
    const saved = () =>
      setting.sql<{ description: string }>('select description from identity.groups where group_id = $1', [
        group.id,
      ])
    await expect.poll(saved).toEqual([{ description: 'Mine' }])
  })

  test('where groups and roles are switched off, each page of them says so, and how to switch them on', async () => {
    const [user, group] = [await newUser(setting), await newGroup()]
    const slug = `o-${randomUUID()}`
    const { organization_id: id } = await post('/admin/api/organizations', { name: slug, slug })
    const ofUser = ['groups', 'organizations', 'preview'].map((tab) => `${user.path}?tab=${tab}`)
    const ofOrganizations = ['/admin/organizations', `/admin/organizations/${id}`]
    for (const path of ['/admin/groups', group.path, ...ofUser, ...ofOrganizations]) {
      await page.goto(path)
      await page.getByRole('note').getByText('OAUTH2_ORGANIZATIONS_ENABLED=true').waitFor()
    }
  })

  test('support sees groups, members and roles, and changes none', async () => {
    const supporter = await newUser(setting)
    const group = await newGroup()
    await setting.sql(`update identity.users set admin_role = 'support' where id = $1`, [supporter.id])
    const own = await openConsole(setting, '/admin/groups', { username: supporter.name })
    expect(await own.getByRole('link', { name: 'Create group' }).count()).toBe(0)
    for (const path of [group.path, `${group.path}?tab=members`, `${group.path}?tab=roles`]) {
      await own.goto(path)
      await own.getByText('Only owners change groups').waitFor()
      await own.waitForLoadState('networkidle')
      const names = await own.getByRole('main').getByRole('button').allInnerTexts()
      expect([path, names.filter((name) => /add|give|take|remove|delete|save/i.test(name))]).toEqual([
        path,
        [],
      ])
      expect([path, await own.getByRole('tab', { name: 'Settings' }).count()]).toEqual([path, 0])
    }
    await own.goto('/admin/groups/new')
    await own.getByText('Only owners change groups').waitFor()
    await own.context().close()
  })
})
