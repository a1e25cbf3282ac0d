import { waitIn } from '../time.ts'
import type { Texts } from './en.ts'

const appIsWrong =
  'Revenez à l’application et réessayez. Si cela se reproduit, signalez-le aux responsables de l’application.'

export const texts = {
  toAccount: 'Accéder à votre compte',
  toDocumentation: 'Documentation : la signification de chaque erreur (en anglais)',
  details: 'Détails pour les développeurs',
  code: 'Erreur',
  description: 'Description',
  trace: 'Identifiant de trace',
  otherSite: (ours) =>
    `Ce formulaire n’a pas été envoyé depuis une page de ce serveur. Ouvrez ${ours} et réessayez depuis là.`,
  wait: (seconds) => `Vous pourrez réessayer ${waitIn('fr', seconds)}.`,
  other: { heading: 'Cela ne fonctionne pas', advice: appIsWrong },
  byCode: {
    invalid_request: { heading: 'Cette demande ne fonctionne pas', advice: appIsWrong },
    invalid_client: { heading: 'Cette application n’est pas connue ici', advice: appIsWrong },
    access_denied: {
      heading: 'Vous n’avez pas l’autorisation',
      advice: 'Si vous pensez que vous devriez l’avoir, adressez-vous à l’administration.',
    },
    login_required: {
      heading: 'Votre session a pris fin',
      advice: 'Retournez là d’où vous venez et recommencez : il vous sera demandé de vous connecter.',
    },
    not_found: {
      heading: 'Page introuvable',
      advice: 'Vérifiez l’adresse. Si un lien vous a conduit ici, il n’est plus à jour.',
    },
    method_not_allowed: {
      heading: 'Cette page n’existe pas',
      advice: 'Retournez là d’où vous venez et recommencez.',
    },
    rate_limit_exceeded: {
      heading: 'Trop de demandes',
      advice: 'Patientez un instant, puis rechargez la page.',
    },
    temporarily_unavailable: {
      heading: 'Un instant, s’il vous plaît',
      advice: 'Ce serveur est occupé ou en cours de démarrage. Rechargez la page dans quelques secondes.',
    },
    server_error: {
      heading: 'Un problème est survenu',
      advice: 'Vous n’y êtes pour rien. Réessayez ; si cela se reproduit, signalez-le à l’administration.',
    },
  },
} satisfies Texts
