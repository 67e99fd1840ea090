from pydantic import BaseModel, Field


class Patient(BaseModel):
    weight: float = Field(gt=1, lt=300)
    age: float = Field(ge=0, lt=120)
    crcl: float = 90.0


class Dose(BaseModel):
    t: float
    mg: float


class FitRequest(BaseModel):
    patient: Patient
    doses: list[Dose]
    times: list[float]
    levels: list[float]
    iterations: int = Field(default=300, le=2000)


class CurveRequest(BaseModel):
    patient: Patient
    doses: list[Dose]
    log_params: list[float]
    horizon: float = 72.0
