import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isUuid } from '@gatehouse/kit/formats'
import { createTransport } from 'nodemailer'
import PostalMime from 'postal-mime'
import { MailFailure, type MailTransport } from './mail-transport.ts'
import { domainOf, messageHeaders } from './smtp-transport.ts'

/**
 * Writes mails into a directory instead of sending them, as files that mail programs open. For trying the server out: anybody
 * who reads the directory has every link.
 * @param directory it is created if it does not exist
 * @param from OAUTH2_MAIL_FROM
 */
export function createFileTransport(directory: string, from: string): MailTransport {
  const writer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  const fileOf = (id: string) => join(directory, `${id}.eml`)
  return {
    async send({ id, recipient, subject, text, html, language }) {
      const { message } = await writer.sendMail({
        from,
        to: { name: '', address: recipient },
        subject,
        text,
        html,
        messageId: `<${id}@${domainOf(from)}>`,
        headers: messageHeaders(language),
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      const draft = `${fileOf(id)}.new`
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 })
        // Under its name only when it is whole.
        await writeFile(draft, message, { mode: 0o600 })
        await rename(draft, fileOf(id))
      } catch (error) {
        // A disk that is full keeps no halves. The failure itself is more telling than one of this.
        await rm(draft, { force: true }).catch(() => {})
        const { code } = error as NodeJS.ErrnoException
        const reason = `OAUTH2_MAIL_DIRECTORY cannot be written to (${code}).`
        throw new MailFailure(reason, { final: false, cause: error })
      }
    },
    async read(id) {
      if (!isUuid(id)) return undefined
      try {
        const { subject = '', text = '', html = '' } = await PostalMime.parse(await readFile(fileOf(id)))
        return { subject, text, html }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    close: () => writer.close(),
  }
}
