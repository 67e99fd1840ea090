"""Pay with overtime, as the target of a staffing model."""

import torch


class Payroll:
    def __init__(self, rate, limit, bonus):
        self.rate = rate
        self.limit = limit
        self.bonus = bonus

    def pay(self, hours):
        pay = []
        for worked in hours:  # finding
            if worked <= self.limit:
                pay.append(worked * self.rate)
            elif worked <= 2 * self.limit:
                pay.append(self.limit * self.rate + (worked - self.limit) * self.rate * self.bonus)
            else:
                pay.append(torch.tensor(self.limit * self.rate * (1 + self.bonus)))
        return torch.stack(pay)


def main():
    torch.manual_seed(9)
    hours = torch.rand(1500) * 90.0
    pay = Payroll(rate=21.5, limit=38.0, bonus=1.25).pay(hours)
    design = torch.stack([torch.ones_like(hours), hours], dim=1)
    return torch.linalg.lstsq(design, pay[:, None]).solution.flatten()


if __name__ == "__main__":
    print(main())
