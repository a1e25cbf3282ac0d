import type { Texts } from './en.ts'

export const texts = {
  heading: 'Domains',
  lead: 'Dass eine Domain ihr gehört, weist die Organisation durch einen TXT-Eintrag im DNS nach. Bis dahin bedeutet die Domain hier nichts.',
  add: 'Domain hinzufügen',
  domain: 'Domain',
  submit: 'Domain hinzufügen',
  none: 'Die Organisation hat noch keine Domains.',
  states: {
    unproven: 'nicht nachgewiesen',
    proven: 'nachgewiesen',
    missing: 'Eintrag fehlt',
    lost: 'verloren',
  },
  record:
    'Legen Sie diesen TXT-Eintrag dort an, wo Sie das DNS der Domain verwalten, und lassen Sie ihn stehen: Er wird täglich gesucht.',
  recordName: 'Name',
  recordValue: 'Wert',
  provenAt: (time) => `nachgewiesen ${time}`,
  checkedAt: (time) => `zuletzt geprüft ${time}`,
  missingSince: (time) =>
    `Der Eintrag fehlt seit ${time}. Nach sieben Tagen verliert die Organisation die Domain.`,
  lost: 'Der Eintrag hat sieben Tage gefehlt. Legen Sie ihn wieder an und prüfen Sie ihn, um die Domain zurückzubekommen.',
  check: 'Jetzt prüfen',
  remove: 'Entfernen',
  removal: {
    title: (domain) => `${domain} entfernen`,
    lead: 'Die Organisation hat die Domain dann nicht mehr, und eine andere Organisation kann sie nachweisen.',
    submit: 'Domain entfernen',
  },
  gone: 'Die Organisation hat diese Domain nicht mehr.',
  problems: {
    invalid: 'Geben Sie eine Domain an, zum Beispiel example.com.',
    publicSuffix:
      'Unter dieser Domain kann jeder eine Domain registrieren, deshalb kann sie niemand nachweisen. Geben Sie eine eigene Domain an.',
    tooMany: 'Die Organisation hat so viele Domains, wie sie haben darf. Entfernen Sie zuerst eine.',
    missing: 'Der Eintrag wurde nicht gefunden. Bis ein neuer zu sehen ist, kann eine Stunde vergehen.',
    taken:
      'Der Eintrag ist da, aber eine andere Organisation hat diese Domain. Sie muss sie zuerst entfernen.',
    noAnswer: 'Das DNS hat nicht geantwortet. Bitte versuchen Sie es später noch einmal.',
    tooSoon: 'Das wurde gerade erst geprüft. Bitte warten Sie zehn Sekunden.',
  },
} satisfies Texts
