/** How the server looks to people in mails. */
export type MailBrand = {
  name: string
  /** An https address; undefined for the name alone. Mail programs show no data: addresses. */
  logoUrl: string | undefined
  /** The colour of buttons, and that of the text on them, as #rrggbb. */
  color: string
  textColor: string
  termsUrl: string | undefined
  privacyUrl: string | undefined
  supportUrl: string | undefined
}

/** The brand of mails. */
export function mailBrand(): MailBrand {
  return {
    name: 'Gatehouse',
    logoUrl: undefined,
    color: '#1f5fbf',
    textColor: '#ffffff',
    termsUrl: undefined,
    privacyUrl: undefined,
    supportUrl: undefined,
  }
}
