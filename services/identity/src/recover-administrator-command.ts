// Recovers an administrator, for the image: `recover-administrator [name]`. `gatehouse admin recover` does the same elsewhere.
import { secretOf } from '@gatehouse/kit/config/secret-file'
import { recoverAdministratorIn } from './recover-administrator.ts'

const [username = 'admin'] = process.argv.slice(2)

try {
  const newPassword = secretOf('GATEHOUSE_NEW_PASSWORD', process.env)
  const recovered = await recoverAdministratorIn(process.env, { username, newPassword, keepFactors: false })
  console.log(`${recovered.username} is an administrator, without sessions and second factors.`)
  if (recovered.generatedPassword)
    console.log(`Password (it is not shown again):  ${recovered.generatedPassword}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
