import type { Texts } from './en.ts'

export const texts = {
  byAddress: 'Se connecter via votre organisation',
  otherWay: {
    organization: (name) => `Pour continuer dans ${name}, connectez-vous via cette organisation.`,
    factors: (name) => `Pour continuer dans ${name}, connectez-vous avec deux facteurs.`,
    account: 'Cette application demande une connexion avec votre propre compte.',
    page: 'Pour voir cette page, connectez-vous autrement.',
  },
  address: {
    lead: 'Saisissez votre adresse e-mail professionnelle. Elle nous indique où vous vous connectez.',
    label: 'Adresse e-mail',
    submit: 'Continuer',
    missing: 'Saisissez votre adresse e-mail.',
    unknown:
      'Cette adresse ne mène à la connexion d’aucune organisation. Vérifiez-la ou connectez-vous autrement.',
    otherWays: 'Autres façons de se connecter',
  },
  question: {
    title: (name) => `Se connecter via ${name} ?`,
    lead: (user) =>
      `Vous êtes connecté en tant que ${user}. Un lien d’un autre site vous a amené ici. Si vous vous connectez maintenant avec un autre compte, cette connexion prend fin.`,
    submit: 'Se connecter',
    stay: 'Rester connecté',
  },
  problems: {
    notInvited: (provider) => ({
      heading: 'Vous n’avez pas de compte ici',
      description: `Vous vous êtes connecté via ${provider}, mais aucun compte ici ne correspond à cette connexion.`,
      advice:
        'Demandez à un administrateur de vous inviter. Si vous avez un compte, connectez-vous autrement.',
    }),
    hasAccount: (provider) => ({
      heading: 'Vous avez déjà un compte',
      description: `Il existe un compte avec votre adresse e-mail, mais il n’est pas encore relié à ${provider}.`,
      advice: `Connectez-vous autrement cette fois-ci. Vous pourrez ensuite relier ${provider} à votre compte.`,
    }),
    noMember: (provider) => ({
      heading: 'Vous n’êtes pas membre de cette organisation',
      description: `Les connexions via ${provider} sont réservées aux membres de son organisation, et votre compte n’en fait pas partie.`,
      advice: 'Demandez à un administrateur de l’organisation de vous inviter, ou connectez-vous autrement.',
    }),
    linkedToOther: (provider) => ({
      heading: 'Cette connexion appartient à un autre compte',
      description: `Le compte chez ${provider} est déjà relié à un autre compte ici.`,
      advice: 'Choisissez un autre compte là-bas, ou connectez-vous ici à l’autre compte et dissociez-le.',
    }),
    session: (provider) => ({
      heading: 'Vous devez vous reconnecter',
      description: `Votre connexion ici a pris fin pendant que vous étiez chez ${provider}, ou elle ne permet pas cela.`,
      advice: 'Connectez-vous et recommencez.',
    }),
    full: (provider) => ({
      heading: 'L’organisation est complète',
      description: `L’organisation de ${provider} compte déjà autant de membres qu’elle peut en avoir.`,
      advice: 'Prévenez un administrateur de l’organisation.',
    }),
  },
  own: {
    heading: 'Comptes reliés',
    link: 'Voir les comptes reliés',
    lead: 'Ces comptes externes vous permettent de vous connecter ici.',
    none: 'Aucun compte externe n’est relié au vôtre.',
    of: (organization) => `Valable uniquement dans ${organization}`,
    since: (time) => `relié depuis le ${time}`,
    badge: 'Ne fonctionne pas',
    orphaned: 'Le fournisseur a changé et ne connaît pas ce compte.',
    disabled: 'Personne ne peut se connecter via ce fournisseur pour le moment.',
    offers: 'Relier un autre compte',
    done: { connected: 'Le compte est relié.', removed: 'Le compte n’est plus relié.' },
    connect: {
      title: (name) => `Relier ${name} à votre compte ?`,
      lead: 'Vous vous y connectez maintenant. Vous pourrez ensuite vous connecter ici par ce moyen.',
      submit: 'Relier',
    },
    remove: {
      title: (name) => `Dissocier ${name} ?`,
      lead: 'Vous ne pourrez plus vous connecter par ce moyen. Vous serez déconnecté là où vous l’aviez utilisé, et les applications perdront l’accès que vous leur aviez alors donné.',
      submit: 'Dissocier',
      last: 'Vous n’avez aucun autre moyen de vous connecter. Définissez d’abord un mot de passe ou une clé d’accès.',
    },
  },
} satisfies Texts
