import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import SMTPConnection from 'nodemailer/lib/smtp-connection'

/**
 * Asks a mail server whether it takes addresses with characters beyond ASCII before the @ (SMTPUTF8, RFC 6531 section 3.1).
 * @throws the error of the connection
 */
export function takesUtf8(options: SMTPConnectionOptions): Promise<boolean> {
  const connection = new SMTPConnection(options)
  return new Promise((answer, fail) => {
    connection.on('error', fail)
    connection.connect((error) => {
      if (error) return fail(error)
      answer(/^250[ -]SMTPUTF8\b/im.test(String(connection.lastServerResponse)))
      connection.quit()
    })
  })
}
