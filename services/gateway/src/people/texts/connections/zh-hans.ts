import type { Texts } from './en.ts'

export const texts = {
  byAddress: '通过您的组织登录',
  otherWay: {
    organization: (name) => `要在 ${name} 中继续，请通过该组织登录。`,
    factors: (name) => `要在 ${name} 中继续，请使用两个因素登录。`,
    account: '此应用需要您用自己的账户登录。',
    page: '要查看该页面，请用其他方式登录。',
  },
  address: {
    lead: '请输入您的工作邮箱地址，我们据此确定您在哪里登录。',
    label: '电子邮箱地址',
    submit: '继续',
    missing: '请输入您的电子邮箱地址。',
    unknown: '此地址没有对应的组织登录。请检查地址，或用其他方式登录。',
    otherWays: '其他登录方式',
  },
  question: {
    title: (name) => `要通过 ${name} 登录吗？`,
    lead: (user) =>
      `您已以 ${user} 的身份登录。另一个网站的链接把您带到了这里。如果您现在以其他人的身份登录，当前的登录将会结束。`,
    submit: '登录',
    stay: '保持当前登录',
  },
  problems: {
    notInvited: (provider) => ({
      heading: '您在这里没有账户',
      description: `您已通过 ${provider} 登录，但这里没有与之对应的账户。`,
      advice: '请让管理员邀请您。如果您已有账户，请用其他方式登录。',
    }),
    hasAccount: (provider) => ({
      heading: '您已有账户',
      description: `已有一个使用您邮箱地址的账户，但它还没有关联 ${provider}。`,
      advice: `这一次请用其他方式登录，之后就可以把 ${provider} 关联到您的账户。`,
    }),
    noMember: (provider) => ({
      heading: '您不是该组织的成员',
      description: `通过 ${provider} 登录仅限其组织的成员，您的账户不在其中。`,
      advice: '请让该组织的管理员邀请您，或用其他方式登录。',
    }),
    linkedToOther: (provider) => ({
      heading: '此登录属于另一个账户',
      description: `${provider} 的这个账户已关联到这里的另一个账户。`,
      advice: '请在那里选择其他账户，或在这里登录另一个账户并取消关联。',
    }),
    session: (provider) => ({
      heading: '您需要重新登录',
      description: `您在 ${provider} 期间，这里的登录已结束，或者该登录不允许此操作。`,
      advice: '请登录后重新开始。',
    }),
    full: (provider) => ({
      heading: '该组织成员已满',
      description: `${provider} 所属组织的成员数已达上限。`,
      advice: '请告知该组织的管理员。',
    }),
  },
  own: {
    heading: '关联的账户',
    link: '查看关联的账户',
    lead: '您可以用这些外部账户登录这里。',
    none: '没有外部账户与您的账户关联。',
    of: (organization) => `仅在 ${organization} 中有效`,
    since: (time) => `关联于 ${time}`,
    badge: '无法使用',
    orphaned: '提供方已更换，新的提供方不认识此账户。',
    disabled: '目前无法通过此提供方登录。',
    offers: '关联其他账户',
    done: { connected: '账户已关联。', removed: '账户已取消关联。' },
    connect: {
      title: (name) => `要把 ${name} 关联到您的账户吗？`,
      lead: '您现在将在那里登录，之后就可以通过它登录这里。',
      submit: '关联',
    },
    remove: {
      title: (name) => `要取消关联 ${name} 吗？`,
      lead: '您将无法再通过它登录。通过它登录的会话会结束，应用也会失去您当时授予的访问权限。',
      submit: '取消关联',
      last: '您没有其他登录方式。请先设置密码或通行密钥。',
    },
  },
} satisfies Texts
