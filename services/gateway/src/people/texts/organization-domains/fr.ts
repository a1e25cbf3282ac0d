import type { Texts } from './en.ts'

export const texts = {
  heading: 'Domaines',
  lead: 'L’organisation prouve qu’un domaine est le sien par un enregistrement TXT dans le DNS. D’ici là, le domaine n’a ici aucun effet.',
  add: 'Ajouter un domaine',
  domain: 'Domaine',
  submit: 'Ajouter le domaine',
  none: 'L’organisation n’a pas encore de domaines.',
  states: {
    unproven: 'non prouvé',
    proven: 'prouvé',
    missing: 'enregistrement manquant',
    lost: 'perdu',
  },
  record:
    'Créez cet enregistrement TXT là où vous gérez le DNS du domaine, et laissez-le : il est vérifié chaque jour.',
  recordName: 'Nom',
  recordValue: 'Valeur',
  provenAt: (time) => `prouvé le ${time}`,
  checkedAt: (time) => `vérifié le ${time}`,
  missingSince: (time) =>
    `L’enregistrement manque depuis le ${time}. Après sept jours, l’organisation perd le domaine.`,
  lost: 'L’enregistrement a manqué pendant sept jours. Recréez-le et vérifiez-le pour retrouver le domaine.',
  check: 'Vérifier maintenant',
  remove: 'Retirer',
  removal: {
    title: (domain) => `Retirer ${domain}`,
    lead: 'L’organisation n’a plus le domaine, et une autre peut le prouver.',
    submit: 'Retirer le domaine',
  },
  gone: 'L’organisation n’a plus ce domaine.',
  problems: {
    invalid: 'Saisissez un domaine, par exemple example.com.',
    publicSuffix:
      'N’importe qui peut enregistrer un domaine sous celui-ci : personne ne peut donc le prouver. Saisissez un domaine à vous.',
    tooMany: 'L’organisation a autant de domaines qu’elle le peut. Retirez-en d’abord un.',
    missing: 'L’enregistrement est introuvable. Un nouveau peut mettre une heure à être vu.',
    taken: 'L’enregistrement est là, mais une autre organisation a ce domaine. Elle doit d’abord le retirer.',
    noAnswer: 'Le DNS n’a pas répondu. Veuillez réessayer plus tard.',
    tooSoon: 'Cela vient d’être vérifié. Veuillez attendre dix secondes.',
  },
} satisfies Texts
