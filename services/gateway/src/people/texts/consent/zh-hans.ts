import type { Texts } from './en.ts'

export const texts = {
  title: (app) => `允许 ${app}？`,
  heading: (app) => `${app} 请求访问您的账户`,
  document: (host) => `此应用未在此处注册。其说明和名称由 ${host} 提供。`,
  selfRegistered: '此应用未经任何人审核。',
  anyProgram:
    '此应用在您自己的设备上运行，该设备上的任何其他程序都可以冒充它。只有在您刚刚亲自启动了该应用时，才应允许。',
  lead: (user, app) => `您已登录为 ${user}。如果您允许，${app} 将可以：`,
  destination: (destination) => `之后您将返回 ${destination}。只有在您来自那里时，才应允许。`,
  allow: '允许',
  deny: '拒绝',
  withdraw: (link) => `您可以随时在${link}中撤销此访问权限。`,
  yourAccount: '您的账户',
  aboutApp: (app) => `关于 ${app}`,
  policy: '隐私政策',
  terms: '服务条款',
  noDecision: '缺少选择：允许或拒绝。',
  over: '此页面已经回答过，或者已经过期。如果应用仍需要访问权限，请返回应用重新开始。',
  sessionOver: '此页面打开期间，您的会话已结束，因此应用未获得访问权限。',
  appOfScheme: (scheme) => `应用 ${scheme}`,
  scopes: {
    known: {
      read: '读取您的数据',
      write: '更改您的数据',
      profile: '查看您的姓名和个人资料',
      email: '查看您的电子邮件地址',
      openid: '在您登录时识别您的身份',
      offline_access: '在您离开时保留访问权限',
    },
    ofOrganizations: {
      organization: '查看组织的名称',
      groups: '查看您所在的组',
      roles: '查看您拥有的角色',
    },
    other: (scope) => `使用“${scope}”`,
    ofServer: (server, words) => `${server}：${words}`,
  },
  laterScopes: {
    email: '查看您的电子邮件地址（在您添加之后）',
    profile: '查看您的用户名，以及您的个人资料（在您填写之后）',
  },
} satisfies Texts
