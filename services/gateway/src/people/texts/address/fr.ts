import type { Texts } from './en.ts'

export const texts = {
  own: {
    title: 'Votre adresse e-mail',
    confirmed: (address) => `Votre adresse est ${address}. Elle est confirmée.`,
    unconfirmed: (address) => `Votre adresse est ${address}. Elle n’est pas confirmée.`,
    none: 'Vous n’avez pas d’adresse e-mail ici.',
    confirm: 'Envoyer un e-mail pour la confirmer',
    change: 'Changer d’adresse',
    add: 'Ajouter une adresse',
    new: 'Nouvelle adresse e-mail',
    hint: 'Nous envoyons un e-mail avec un lien à la nouvelle adresse. L’adresse change quand vous suivez ce lien.',
    link: 'Changer d’adresse e-mail',
    unchanged: 'C’est déjà votre adresse, et elle est confirmée.',
    tooMany: 'Plusieurs e-mails ont déjà été envoyés à cette adresse. Attendez une heure, puis réessayez.',
    off: 'Ce serveur n’envoie pas d’e-mails. Demandez à un administrateur de changer votre adresse.',
    sent: 'Nous avons envoyé un e-mail. Votre adresse change quand vous suivez le lien qu’il contient.',
    done: 'Votre adresse e-mail est confirmée.',
  },
  confirm: {
    title: 'Confirmer votre adresse',
    lead: (address, user) => `L’adresse ${address} devient celle du compte ${user}.`,
    submit: 'Confirmer',
    hint: 'Si ce n’est pas votre compte, fermez cette page. Rien ne change.',
    done: 'Votre adresse est confirmée',
    close: 'Vous pouvez fermer cette page.',
  },
} satisfies Texts
