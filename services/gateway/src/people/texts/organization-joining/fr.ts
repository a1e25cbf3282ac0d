import type { Texts } from './en.ts'

export const texts = {
  heading: 'Invitations',
  invite: 'Inviter quelqu’un',
  role: 'Rôle',
  submit: 'Envoyer l’invitation',
  none: 'Aucune invitation n’est ouverte.',
  by: (name) => `Invité par ${name}`,
  sent: (time) => `envoyée le ${time}`,
  expires: (time) => `valable jusqu’au ${time}`,
  expired: 'expirée',
  again: 'Renvoyer',
  withdraw: 'Retirer',
  withdrawal: {
    title: (address) => `Retirer l’invitation à ${address}`,
    lead: 'Le lien de l’e-mail cesse aussitôt de fonctionner.',
    submit: 'Retirer l’invitation',
  },
  gone: 'Cette invitation n’est plus ouverte.',
  problems: {
    member: 'C’est déjà l’adresse d’un membre.',
    tooManyMails:
      'Plusieurs e-mails ont déjà été envoyés à cette adresse. Veuillez réessayer dans une heure.',
    tooManyToday:
      'L’organisation a envoyé aujourd’hui autant d’invitations qu’elle le peut. Veuillez réessayer demain.',
    tooManyOpen: 'L’organisation a autant d’invitations ouvertes qu’elle le peut. Retirez-en d’abord une.',
    noMails: 'Ce serveur n’envoie pas d’e-mails : personne ne peut être invité.',
  },
  join: {
    title: (organization) => `Rejoindre ${organization}`,
    lead: (organization) => `Vous êtes invité à rejoindre ${organization}.`,
    by: (name, organization) => `${name} vous invite à rejoindre ${organization}.`,
    as: (role) => `Votre rôle : ${role}`,
    for: (address) => `L’invitation est pour ${address}.`,
    loggedInAs: (user) => `Vous êtes connecté en tant que ${user}.`,
    submit: 'Rejoindre l’organisation',
    hint: 'Si vous ne voulez pas la rejoindre, fermez cette page. Rien ne se passe.',
    otherAddress: (user) =>
      `Vous êtes connecté en tant que ${user}, un compte avec une autre adresse e-mail. Connectez-vous avec le compte qui a cette adresse.`,
    otherAccount: 'Se connecter avec un autre compte',
    unverified: (user) =>
      `Vous êtes connecté en tant que ${user}. Confirmez d’abord votre adresse e-mail, puis ouvrez de nouveau le lien de l’invitation.`,
    confirm: 'Confirmer l’adresse',
    logIn: 'Se connecter',
    signUp: 'Créer un compte',
    stranger: 'Connectez-vous avec le compte qui a cette adresse.',
    newcomer: 'Il n’y a pas encore de compte avec cette adresse.',
    noAccount: 'Si vous n’avez pas de compte, demandez-en un aux responsables de ce serveur.',
    tooMany: 'Vous êtes dans autant d’organisations qu’on peut l’être. Quittez-en d’abord une.',
    full: 'L’organisation a autant de membres qu’elle le peut.',
  },
} satisfies Texts
