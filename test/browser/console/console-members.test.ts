import { randomUUID } from 'node:crypto'
import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Setting, startSetting } from '../support/setting.ts'
import {
  choose,
  confirmAction,
  heading,
  join,
  newOrganization,
  newResourceServer,
  newUser,
  notice,
  openConsole,
  send,
} from './console.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('members of organizations in the console', () => {
  let setting: Setting
  let page: Page
  let server: { name: string }
  beforeAll(async () => {
    setting = await startSetting()
    page = await openConsole(setting, '/admin/organizations')
    server = await newResourceServer(page)
  })
  afterAll(() => setting?.stop())

  const button = (name: string | RegExp) =>
    page.getByRole('main').getByRole('button', { name, exact: typeof name === 'string' })
  const row = (text: string) => page.getByRole('row').filter({ hasText: text })
  const rolesIn = ({ id }: { id: string }) =>
    setting.sql<{ role: string }>(
      'select role::text from identity.organization_members where organization_id = $1 order by role',
      [id],
    )

  test('members are added with a role, get another one, and are removed; the last owner stays', async () => {
    const organization = await newOrganization(page)
    const users = [await newUser(setting), await newUser(setting)]
    const [first = { name: '' }] = users
    await page.goto(`${organization.path}?tab=members`)
    await page.getByText('No members yet').waitFor()
    for (const { name } of users) await choose(page, 'Users', name)
    await page.getByLabel('Role in the organization').selectOption('owner')
    await button('Add').click()
    await row(first.name).getByText('Owner').waitFor()
    expect(await rolesIn(organization)).toEqual([{ role: 'owner' }, { role: 'owner' }])

    await page.getByLabel(`Select ${first.name}`).check()
    await button('Make admin').click()
    await notice(page, `${first.name} has a new role: Admin.`)
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await row(first.name).getByText('Owner').waitFor()

    await page.getByLabel('Select all rows on this page').check()
    await button('Remove').click()
    await page.getByRole('dialog').getByText('It cannot be undone').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove (2)' }).click()
    await notice(page, 'owner')
    await expect.poll(() => rolesIn(organization)).toEqual([{ role: 'owner' }])
  })

  test('it has groups and roles of its own, for its members alone, which the page of a member shows', async () => {
    const [organization, user, stranger] = [
      await newOrganization(page),
      await newUser(setting),
      await newUser(setting),
    ]
    await join(page, organization, user)
    await page.goto(`${organization.path}?tab=groups`)
    await page.getByRole('main').getByRole('link', { name: 'Create group' }).first().click()
    const name = `Buyers ${randomUUID()}`
    await page.getByLabel('Name').fill(name)
    await button('Create group').click()
    await heading(page, name)
    const path = new URL(page.url()).pathname
    expect(path).toMatch(new RegExp(`^${organization.path}/groups/[\\w-]+$`))
    await page.getByRole('main').getByRole('link', { name: organization.name }).waitFor()

    await page.getByRole('tab', { name: 'Members' }).click()
    const users = page.getByRole('combobox', { name: 'Users', exact: true })
    await users.fill(stranger.name)
    await page.getByText('Nothing found').waitFor()
    await choose(page, 'Users', user.name)
    await button('Add').click()
    await row(user.name).waitFor()
    await page.getByRole('tab', { name: 'Roles' }).click()
    await choose(page, 'Resource server', server.name)
    await choose(page, 'Roles', 'editor')
    await button('Give').click()
    await row('editor').waitFor()

    await page.goto(`${organization.path}?tab=roles`)
    await choose(page, 'Resource server', server.name)
    await row(name).waitFor()

    await page.goto(`${organization.path}?tab=members`)
    await page.getByRole('main').getByRole('link', { name: user.name }).click()
    await heading(page, user.name)
    await row('editor').waitFor()
    expect(await row('editor').innerText()).toContain(`Group ${name}`)
    await choose(page, 'Resource server', server.name)
    await choose(page, 'Roles', 'editor')
    await button('Give').click()
    await row('Given directly').waitFor()
    await page.getByLabel('Role in the organization').selectOption('owner')
    await button('Change role').click()
    await notice(page, `${user.name} has a new role: Owner.`)
    await expect.poll(() => rolesIn(organization)).toEqual([{ role: 'owner' }])

    // Nothing of it counts outside of the organization.
    await page.goto(`${user.path}?tab=groups`)
    await page.getByText('In no group.').waitFor()
    await page.getByText('No roles, neither given directly nor by a group.').waitFor()
    await page.getByRole('tab', { name: 'Organizations' }).click()
    await row(organization.name).getByText('Owner').waitFor()
    await row(organization.name).getByRole('link', { name: 'Groups and roles there' }).click()
    await page.waitForURL(`**${organization.path}/members/${user.id}`)

    await page.goto(path)
    await button('Delete').click()
    await page.getByLabel(`Type ${name} to confirm`).fill(name)
    await confirmAction(page, 'Delete')
    await page.waitForURL(`**${organization.path}?tab=groups`)
  })

  test('a viewer sees all of it, and changes nothing', async () => {
    const [organization, member, viewer] = [
      await newOrganization(page),
      await newUser(setting),
      await newUser(setting),
    ]
    await join(page, organization, member)
    await send(page, 'POST', `/admin/api/organizations/${organization.id}/domains`, {
      domain: `${randomUUID()}.example`,
    })
    const place = `/admin/api/organizations/${organization.id}/groups`
    const { group_id: group } = await send(page, 'POST', place, { name: 'Buyers' })
    await setting.sql(`update identity.users set admin_role = 'viewer' where id = $1`, [viewer.id])
    const own = await openConsole(setting, '/admin/organizations', { username: viewer.name })
    expect(await own.getByRole('link', { name: 'Create organization' }).count()).toBe(0)
    const tabs = ['overview', 'members', 'groups', 'roles', 'invitations', 'domains', 'history']
    const paths = [
      ...tabs.map((tab) => `${organization.path}?tab=${tab}`),
      `${organization.path}/members/${member.id}`,
      `${organization.path}/groups/${group}`,
      `${organization.path}/groups/${group}?tab=members`,
    ]
    for (const path of paths) {
      await own.goto(path)
      await own.getByText(/^Only owners change/).waitFor()
      await own.waitForLoadState('networkidle')
      const names = await own.getByRole('main').getByRole('button').allInnerTexts()
      const changes = /add|give|take|remove|delete|save|disable|invite|check|make/i
      expect([path, names.filter((name) => changes.test(name))]).toEqual([path, []])
      expect([path, await own.getByRole('tab', { name: 'Settings' }).count()]).toEqual([path, 0])
    }
    await own.goto('/admin/organizations/new')
    await own.getByText(/^Only owners change/).waitFor()
    await own.context().close()
  })

  test('the page of somebody who is no member says that there is none', async () => {
    const [organization, stranger] = [await newOrganization(page), await newUser(setting)]
    await page.goto(`${organization.path}/members/${stranger.id}`)
    await heading(page, 'Page not found')
  })
})
