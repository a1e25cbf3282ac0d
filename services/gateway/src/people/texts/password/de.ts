import type { Texts } from './en.ts'

export const texts = {
  change: 'Passwort ändern',
  current: 'Aktuelles Passwort',
  new: 'Neues Passwort',
  rule: (least) => `Mindestens ${least} Zeichen.`,
  again: 'Neues Passwort wiederholen',
  keepAccess: 'Anderswo angemeldet bleiben und Apps ihren Zugriff lassen',
  keepAccessHint:
    'Lassen Sie dieses Kästchen leer, wenn jemand anderes Ihr aktuelles Passwort kennen könnte: Sie werden dann überall sonst abgemeldet, und jede App verliert ihren Zugriff.',
  submit: 'Passwort ändern',
  yours: 'Ihr Passwort',
  notNeeded: (providers) =>
    `Sie brauchen hier kein Passwort: Sie melden sich mit ${providers} an. Wenn Sie eines möchten, fragen Sie Ihre Administratoren.`,
  differ: 'Die beiden neuen Passwörter unterscheiden sich. Es wurde nichts geändert.',
  wrong: 'Das aktuelle Passwort ist falsch. Es wurde nichts geändert.',
  unacceptable: () => 'Dieses neue Passwort ist nicht zulässig. Wählen Sie ein anderes.',
  show: 'Anzeigen',
  hide: 'Verbergen',
  faults: {
    too_short: (least) => `Das Passwort muss mindestens ${least} Zeichen haben.`,
    too_long: 'Das Passwort ist zu lang.',
    too_common:
      'Dies ist eines der häufigsten Passwörter, die als erste geraten werden. Wählen Sie ein anderes.',
    like_name: 'Das Passwort darf nicht Ihr Benutzername oder Ihre E-Mail-Adresse sein.',
    taken: 'Dieser Benutzername ist schon vergeben. Wählen Sie einen anderen.',
    an_address: 'Der Benutzername darf nicht die E-Mail-Adresse einer anderen Person sein.',
    a_link: 'Der Benutzername darf weder / noch : enthalten und nicht mit www. beginnen.',
    invalid:
      'Dieser Benutzername geht nicht: Er muss 1 bis 200 sichtbare Zeichen ohne Leerzeichen haben und darf nicht mit client_ beginnen.',
  },
} satisfies Texts
