import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { program } from '@gatehouse/test/programs/programs'
import { SignJWT } from 'jose'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyClient, type Setting, startSetting } from '../support/setting.ts'
import { expectUsable } from '../support/usable.ts'
import { confirmAction, heading, notice, openConsole, send } from './console.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('the keys of a client in the console', () => {
  let setting: Setting
  let page: Page
  beforeAll(async () => {
    setting = await startSetting({
      ...everyClient,
      OAUTH2_CLIENT_AUTH_METHODS: 'client_secret_basic client_secret_post private_key_jwt',
    })
    page = await openConsole(setting, '/admin/clients')
  })
  afterAll(() => setting?.stop())

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = () => page.getByRole('dialog')
  const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true })
  const newPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pemOf = (pair: ReturnType<typeof newPair>) =>
    String(pair.publicKey.export({ format: 'pem', type: 'spki' }))

  /** Asks for a token as a client that signs with a key. @returns the status of the answer */
  async function tokenStatus(clientId: string, pem: string): Promise<number> {
    const assertion = await new SignJWT({ jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(setting.system.baseUrl)
      .setExpirationTime('1m')
      .sign(createPrivateKey(pem))
    const answer = await setting.system.form('/oauth/token', {
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    })
    return answer.status
  }

  /** Makes a key in the open dialog, and saves it. @returns the private key that the browser saved, as PEM */
  async function makeAndSave(): Promise<string> {
    await inDialog('Make a key').click()
    expect(await inDialog('Add its public key').isDisabled()).toBe(true)
    // Nothing closes it before the key is saved but its own button.
    await page.keyboard.press('Escape')
    const saving = page.waitForEvent('download')
    await inDialog('Save as PEM').click()
    const saved = readFileSync(await (await saving).path(), 'utf8')
    await confirmAction(page, 'Add its public key')
    return saved
  }

  async function createWithKeys(keys: object): Promise<string> {
    const { client_id } = await send(page, 'POST', '/admin/api/clients', {
      ...{ client_name: 'Keyed', grant_types: ['client_credentials'], scope: 'read' },
      ...{ token_endpoint_auth_method: 'private_key_jwt', ...keys },
    })
    return String(client_id)
  }
  const jwkOf = (pair: ReturnType<typeof newPair>) => pair.publicKey.export({ format: 'jwk' })

  test('a client is created with a key that the browser makes, and gets a token with what was saved', async () => {
    await page.goto('/admin/clients/new')
    await page.getByLabel('Name', { exact: true }).fill('Signer')
    await page.getByRole('combobox', { name: 'Grant types' }).press('ArrowDown')
    await page.getByRole('option', { name: 'authorization_code' }).click()
    await page.getByRole('option', { name: 'client_credentials' }).click()
    await page.keyboard.press('Escape')
    // Fields about keys mean nothing for a client with a secret.
    expect(await page.getByText('Address of the public keys').count()).toBe(0)
    await page.getByLabel('token endpoint', { exact: false }).selectOption('private_key_jwt')
    await page.getByText('Address of the public keys').waitFor()
    await button('Make a key').click()
    const saved = await makeAndSave()
    await page.getByRole('button', { name: /^Remove: / }).waitFor()
    await button('Create client').click()
    await notice(page, 'Client created.')
    expect(await heading(page, 'Signer')).toBe('Signer')
    const clientId = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '')
    await page.getByRole('tab', { name: 'Keys' }).click()
    await page.getByText('The last key cannot be removed.').waitFor()
    await expect.poll(() => tokenStatus(clientId, saved)).toBe(200)
  })

  test('a key is changed without a pause: the new one is added, the old one is removed and ends', async () => {
    const old = newPair()
    const oldPem = String(old.privateKey.export({ format: 'pem', type: 'pkcs8' }))
    const clientId = await createWithKeys({ jwks: { keys: [{ ...jwkOf(old), kid: 'old' }] } })
    await page.goto(`/admin/clients/${clientId}?tab=keys`)
    await button('Make a key').click()
    const saved = await makeAndSave()
    await notice(page, 'The public key is added.')
    expect([await tokenStatus(clientId, oldPem), await tokenStatus(clientId, saved)]).toEqual([200, 200])
    await page.getByRole('button', { name: 'Remove: old' }).click()
    expect(await dialog().innerText()).toContain('The client can no longer sign with it')
    await confirmAction(page, 'Remove')
    await notice(page, 'The key is removed.')
    expect([await tokenStatus(clientId, oldPem), await tokenStatus(clientId, saved)]).toEqual([401, 200])
    await expect.poll(() => page.getByRole('button', { name: /^Remove: / }).count()).toBe(0)
  })

  test('a private key that somebody pastes is sent to nobody', async () => {
    const [first, second] = [newPair(), newPair()]
    const clientId = await createWithKeys({ jwks: { keys: [jwkOf(first)] } })
    await page.goto(`/admin/clients/${clientId}?tab=keys`)
    await button('Add a public key').click()
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.postData() ?? ''))
    for (const text of [
      String(second.privateKey.export({ format: 'pem', type: 'pkcs8' })),
      JSON.stringify(second.privateKey.export({ format: 'jwk' })),
    ]) {
      await dialog().getByLabel('Public key').fill(text)
      await inDialog('Add a public key').click()
      await dialog().getByText('This is a private key. It was not sent.').waitFor()
      await dialog().getByLabel('Public key').fill('')
    }
    expect(sent.join()).not.toContain('"d"')
    expect(sent.join()).not.toContain('PRIVATE')
    await dialog().getByLabel('Public key').fill(pemOf(second))
    await dialog().getByLabel('Key ID (kid)').fill('pasted')
    await confirmAction(page, 'Add a public key')
    await notice(page, 'The public key is added.')
    await page.getByRole('cell', { name: 'pasted', exact: true }).waitFor()
  })

  test('the keys are read at an address of the app, and stored ones end; and back', async () => {
    const pair = newPair()
    const pem = String(pair.privateKey.export({ format: 'pem', type: 'pkcs8' }))
    const clientId = await createWithKeys({ jwks: { keys: [jwkOf(pair)] } })
    expect(await tokenStatus(clientId, pem)).toBe(200)
    await page.goto(`/admin/clients/${clientId}?tab=keys`)
    await page.getByLabel('Address of the keys').fill('https://keys.invalid/jwks.json')
    await button('Read the keys from there').click()
    expect(await dialog().innerText()).toContain('The keys that are stored here are removed at once.')
    await confirmAction(page, 'Read the keys from there')
    await notice(page, 'Saved.')
    expect(await tokenStatus(clientId, pem)).toBe(401)

    await page.getByText('The app publishes its keys at this address').waitFor()
    await button('Add a public key').click()
    await dialog().getByLabel('Public key').fill(pemOf(pair))
    await inDialog('Add a public key').click()
    await dialog().getByText('only the key that you add counts').waitFor()
    await confirmAction(page, 'Add a public key')
    await notice(page, 'The public key is added.')
    expect(await tokenStatus(clientId, pem)).toBe(200)
  })

  test.each(['en-US', 'de-DE', 'ar-EG'])('the keys and their dialogs can be used in %s', async (locale) => {
    const hostile = `"><img src=x onerror=alert(1)>${'key-'.repeat(50)}`
    const keys = [newPair(), newPair()].map(jwkOf)
    const clientId = await createWithKeys({ jwks: { keys: [{ ...keys[0], kid: hostile }, keys[1]] } })
    const own = await openConsole(setting, `/admin/clients/${clientId}?tab=keys`, { locale })
    setting.complaints.length = 0
    await own.locator('tbody tr').nth(1).waitFor()
    await expectUsable(own, [360, 768, 1280])
    const panel = own.getByRole('tabpanel')
    for (const [index, field] of ['select', 'textarea'].entries()) {
      await panel
        .getByRole('button', { name: /key|schlüssel|مفتاح/i })
        .nth(index)
        .click()
      await own.getByRole('dialog').locator(field).first().waitFor()
      await expectUsable(own, [360, 1280])
      await own.keyboard.press('Escape')
      await own.getByRole('dialog').waitFor({ state: 'hidden' })
    }
    expect(await own.locator('img').count()).toBe(0)
    expect(setting.complaints).toEqual([])
    await own.context().close()
  })
})
