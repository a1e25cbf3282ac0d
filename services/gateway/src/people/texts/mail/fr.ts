import type { Texts } from './en.ts'

export const texts = {
  address: 'Adresse e-mail',
  send: 'Envoyer l’e-mail',
  wrongAddress: 'Saisissez une adresse e-mail, par exemple anne@example.com.',
  checkMail: 'Consultez votre messagerie',
  over: {
    title: 'Ce lien ne fonctionne plus',
    lead: 'Il a déjà été utilisé ou a expiré. Un lien cesse aussi de fonctionner quand le mot de passe ou l’adresse change.',
    toAccount: 'Aller à votre compte',
  },
} satisfies Texts
