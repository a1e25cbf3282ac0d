import type { Texts } from './en.ts'

export const texts = {
  logIn: 'Mit einem Passkey anmelden',
  use: 'Passkey verwenden',
  refused:
    'Dieser Passkey wurde nicht angenommen. Versuchen Sie es noch einmal, oder melden Sie sich auf andere Weise an.',
  cancelled: 'Der Passkey wurde nicht verwendet: Der Vorgang wurde abgebrochen oder hat zu lange gedauert.',
  unsupported: 'Dieser Browser kann keine Passkeys verwenden.',
  noScript: 'Passkeys brauchen JavaScript, das in diesem Browser ausgeschaltet ist.',
} satisfies Texts
