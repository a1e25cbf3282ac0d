import type { Texts } from './en.ts'

export const texts = {
  heading: 'Ihre Angaben',
  lead: 'Apps, denen Sie Einsicht in Ihr Profil erlauben, erhalten diese Angaben. Was leer ist, wird niemandem gezeigt.',
  addressByAdministrators: 'Ihre E-Mail-Adresse können nur Ihre Administratoren ändern.',
  save: 'Speichern',
  yes: 'ja',
  no: 'nein',
  choices: {
    yes: 'Ja',
    no: 'Nein',
    none: 'Keine Angabe',
    leave: (now) => `Unverändert lassen: ${now}`,
  },
  faults: {
    text: (label, most) => `„${label}“ muss ein sichtbarer Text von 1 bis ${most} Zeichen sein.`,
    picture: (label) => `„${label}“ muss eine https-Adresse ohne Passwort sein.`,
    language: (label) => `„${label}“ muss ein Sprachkürzel sein, zum Beispiel en oder de-CH.`,
    zone: (label) => `„${label}“ muss eine Zeitzone sein, zum Beispiel Europe/Berlin.`,
  },
} satisfies Texts
