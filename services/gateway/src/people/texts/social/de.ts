import type { Texts } from './en.ts'

const startAgain = 'Gehen Sie zurück zur Anmeldeseite und beginnen Sie von vorn.'

export const texts = {
  unreachable: (provider) => ({
    heading: `${provider} antwortet nicht`,
    description: `${provider} antwortet im Moment nicht.`,
    advice:
      'Sie wurden nicht angemeldet. Versuchen Sie es in einer Minute noch einmal oder melden Sie sich auf anderem Weg an.',
  }),
  notOffered: (provider) => ({
    heading: `${provider} ist hier nicht verfügbar`,
    description: `Die Anmeldung mit ${provider} ist auf diesem Server nicht verfügbar.`,
    advice: 'Melden Sie sich auf anderem Weg an.',
  }),
  notConfigured: (provider) => ({
    heading: `${provider} ist hier nicht eingerichtet`,
    description: `Die Anmeldung mit ${provider} ist auf diesem Server nicht eingerichtet.`,
    advice: 'Melden Sie sich auf anderem Weg an. Ihre Administratoren können sie einrichten.',
  }),
  unknownLogin: {
    heading: 'Diese Anmeldung ist beendet',
    description:
      'Die Anmeldung wurde schon abgeschlossen, hat zu lange gedauert oder wurde in einem anderen Browser begonnen.',
    advice: startAgain,
  },
  denied: (provider) => ({
    heading: 'Sie wurden nicht angemeldet',
    description: `${provider} meldet, dass die Anmeldung abgebrochen wurde oder nicht erlaubt ist.`,
    advice:
      'Wenn Sie sie nicht abbrechen wollten, gehen Sie zurück zur Anmeldeseite und beginnen Sie von vorn.',
  }),
  disabled: {
    heading: 'Sie dürfen sich nicht anmelden',
    description: 'Ihr Konto hier ist gesperrt.',
    advice: 'Bitten Sie Ihre Administratoren, Ihr Konto zu entsperren.',
  },
  untrusted: (provider) => ({
    heading: `Mit der Antwort von ${provider} stimmt etwas nicht`,
    description: `Der Antwort von ${provider} ist nicht zu trauen. Sie wurden deshalb nicht angemeldet.`,
    advice: `${startAgain} Wenn es wieder geschieht, wenden Sie sich an Ihre Administratoren.`,
  }),
  unknownProvider: 'Es gibt keinen Anmeldedienst mit diesem Namen.',
  toLogin: 'Zur Anmeldeseite',
} satisfies Texts
