import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as client from 'openid-client'

const { ISSUER = 'http://localhost:8080', CLIENT_ID, KEY_FILE = 'private-key.jwk' } = process.env
const issuer = new URL(ISSUER)
const jwk = JSON.parse(readFileSync(KEY_FILE, 'utf8'))
const signsWith = { name: 'ECDSA', namedCurve: 'P-256' }
const key = createPrivateKey({ key: jwk, format: 'jwk' }).toCryptoKey(signsWith, false, ['sign'])

// In place of the secret. Every request of this configuration is signed; logins and refreshes, too.
const authentication = client.PrivateKeyJwt({ key, kid: jwk.kid })
const config = await client.discovery(issuer, CLIENT_ID, undefined, authentication, {
  execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [],
})

const token = await client.clientCredentialsGrant(config, { scope: 'read' })
console.log(JSON.stringify(await client.tokenIntrospection(config, token.access_token)))
