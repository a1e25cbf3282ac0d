import { waitIn } from '../time.ts'
import type { Texts } from './en.ts'

const appIsWrong =
  'Gehen Sie zurück zur App und versuchen Sie es noch einmal. Wenn es wieder geschieht, wenden Sie sich an die Hersteller der App.'

export const texts = {
  toAccount: 'Zu Ihrem Konto',
  toDocumentation: 'Dokumentation: die Bedeutung jedes Fehlers (Englisch)',
  details: 'Einzelheiten für Entwickler',
  code: 'Fehler',
  description: 'Beschreibung',
  trace: 'Trace-ID',
  otherSite: (ours) =>
    `Dieses Formular kam nicht von einer Seite dieses Servers. Öffnen Sie ${ours} und versuchen Sie es dort noch einmal.`,
  wait: (seconds) => `Sie können es ${waitIn('de', seconds)} noch einmal versuchen.`,
  other: { heading: 'Das funktioniert nicht', advice: appIsWrong },
  byCode: {
    invalid_request: { heading: 'Diese Anfrage funktioniert nicht', advice: appIsWrong },
    invalid_client: { heading: 'Diese App ist hier nicht bekannt', advice: appIsWrong },
    access_denied: {
      heading: 'Dazu sind Sie nicht berechtigt',
      advice: 'Wenn Sie meinen, dass Sie es dürfen sollten, fragen Sie Ihre Administratoren.',
    },
    login_required: {
      heading: 'Ihre Sitzung ist beendet',
      advice:
        'Gehen Sie dorthin zurück, woher Sie gekommen sind, und beginnen Sie von vorn: Sie werden dann gebeten, sich anzumelden.',
    },
    not_found: {
      heading: 'Seite nicht gefunden',
      advice: 'Prüfen Sie die Adresse. Wenn ein Link Sie hierher geführt hat, ist er veraltet.',
    },
    method_not_allowed: {
      heading: 'Diese Seite gibt es nicht',
      advice: 'Gehen Sie dorthin zurück, woher Sie gekommen sind, und beginnen Sie von vorn.',
    },
    rate_limit_exceeded: {
      heading: 'Zu viele Anfragen',
      advice: 'Warten Sie einen Moment und laden Sie die Seite dann neu.',
    },
    temporarily_unavailable: {
      heading: 'Einen Moment bitte',
      advice:
        'Dieser Server ist ausgelastet oder startet gerade. Laden Sie die Seite in ein paar Sekunden neu.',
    },
    server_error: {
      heading: 'Etwas ist schiefgegangen',
      advice:
        'Es liegt nicht an Ihnen. Versuchen Sie es noch einmal; wenn es wieder geschieht, wenden Sie sich an Ihre Administratoren.',
    },
  },
} satisfies Texts
